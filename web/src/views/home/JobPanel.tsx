import { Anchor, Group, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Job, Jobs } from "@/api/schema";
import { rootCauseAddress } from "@/parts/addresses";
import { Empty } from "@/parts/Empty";
import { cut } from "@/parts/format";
import { NodeName } from "@/parts/NodeName";
import parts from "@/parts/parts.module.css";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { TimeAgo } from "@/parts/TimeAgo";
import { openDetails } from "@/views/details/open";
import classes from "@/views/home/home.module.css";

interface Props {
  id: string;
  title: string;
  query: UseQueryResult<Jobs>;
  only?: (job: Job) => boolean;
  note?: (job: Job) => string | undefined;
  why?: boolean; // offer to ask why
  empty: { Icon: React.ComponentType<{ size?: number }>; title: string; text: string };
}

/** Jobs in one of the states that matter at first sight. */
export function JobPanel({ id, title, query, only, note, why = false, empty }: Props) {
  return (
    <section id={id} className={parts.tile} aria-labelledby={`${id}-title`}>
      <Title order={2} size="h5" id={`${id}-title`} mb={4}>
        {title}
      </Title>
      <QueryResult query={query}>
        {({ jobs, totalCount }) => {
          const shown = only === undefined ? jobs : jobs.filter(only);
          if (shown.length === 0) {
            return (
              <Empty Icon={empty.Icon} title={empty.title}>
                {empty.text}
              </Empty>
            );
          }
          return (
            <>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
              <ul className={classes.list} tabIndex={0} aria-labelledby={`${id}-title`}>
                {shown.map((job) => (
                  <Row key={`${job.namespace} ${job.name}`} job={job} note={note?.(job)} why={why} />
                ))}
              </ul>
              {only === undefined && totalCount > jobs.length && (
                <Text size="xs" c="dimmed">
                  {jobs.length} of {totalCount} shown
                </Text>
              )}
            </>
          );
        }}
      </QueryResult>
    </section>
  );
}

function Row({ job, note, why }: { job: Job; note: string | undefined; why: boolean }) {
  const nodeId = `job:${job.namespace}:${job.name}`;
  const run = job.latestRun;
  return (
    <li className={classes.item}>
      <div className={classes.what}>
        <NodeName nodeId={nodeId} name={job.name} namespace={job.namespace} onClick={(id) => openDetails(id)} />
        {note !== undefined && (
          <Text size="xs" c="dimmed" ml={24}>
            {note}
          </Text>
        )}
      </div>
      <div className={classes.state}>
        <Group gap={8} wrap="nowrap">
          {why && (
            <Anchor
              component={Link}
              size="xs"
              href={rootCauseAddress(nodeId)}
              aria-label={`Root cause: ${cut(job.name, 80)}`}
            >
              Root cause
            </Anchor>
          )}
          <StateBadge state={run?.state} />
        </Group>
        <Text size="xs" c="dimmed">
          <TimeAgo at={run?.endedAt ?? run?.startedAt ?? run?.createdAt} />
        </Text>
      </div>
    </li>
  );
}
