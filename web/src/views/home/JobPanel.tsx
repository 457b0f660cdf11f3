import { Anchor, Group, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "wouter";
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
import type { PanelJob } from "@/views/home/panelJobs";

interface Props<T> {
  id: string;
  title: string;
  query: UseQueryResult<T>;
  list: (data: T) => { jobs: PanelJob[]; totalCount: number };
  hasRootCause?: boolean; // whether each job has a link to it
  empty: { Icon: React.ComponentType<{ size?: number }>; title: string; text: string };
}

/** Jobs in one of the states that matter at first sight. */
export function JobPanel<T>({ id, title, query, list, hasRootCause = false, empty }: Props<T>) {
  return (
    <section id={id} className={parts.tile} aria-labelledby={`${id}-title`}>
      <Title order={2} size="h5" id={`${id}-title`} mb={4}>
        {title}
      </Title>
      <QueryResult query={query}>
        {(data) => {
          const { jobs, totalCount } = list(data);
          if (jobs.length === 0) {
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
                {jobs.map((job) => (
                  <Row key={job.nodeId} job={job} hasRootCause={hasRootCause} />
                ))}
              </ul>
              {totalCount > jobs.length && (
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

function Row({ job, hasRootCause }: { job: PanelJob; hasRootCause: boolean }) {
  return (
    <li className={classes.item}>
      <div className={classes.what}>
        <NodeName nodeId={job.nodeId} name={job.name} namespace={job.namespace} onClick={(id) => openDetails(id)} />
        {job.note !== undefined && (
          <Text size="xs" c="dimmed" ml={24}>
            {job.note}
          </Text>
        )}
      </div>
      <div className={classes.state}>
        <Group gap={8} wrap="nowrap">
          {hasRootCause && (
            <Anchor
              component={Link}
              size="xs"
              href={rootCauseAddress(job.nodeId)}
              aria-label={`Root cause: ${cut(job.name, 80)}`}
            >
              Root cause
            </Anchor>
          )}
          <StateBadge state={job.state} />
        </Group>
        <Text size="xs" c="dimmed">
          <TimeAgo at={job.at} />
        </Text>
      </div>
    </li>
  );
}
