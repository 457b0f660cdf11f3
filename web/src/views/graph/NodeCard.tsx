import { ActionIcon, Tooltip } from "@mantine/core";
import {
  IconArrowsMaximize,
  IconBolt,
  IconBroadcast,
  IconChevronLeft,
  IconChevronRight,
  IconFile,
  IconLayoutList,
  IconPlayerPlay,
  IconStack2,
  IconTable,
} from "@tabler/icons-react";
import type { Node, NodeProps } from "@xyflow/react";
import { memo, useEffect, useState } from "react";
import type { Card } from "@/graph/scene";
import { type Fan, type ShownNode, step, type Way } from "@/graph/visible";
import { ago } from "@/parts/format";
import { jobLabel } from "@/state/throughput";
import { stateName } from "@/theme/states";
import { useActions } from "@/views/graph/actions";
import { ColumnPeek } from "@/views/graph/ColumnPeek";
import { ColumnRows } from "@/views/graph/ColumnRows";
import { latestRun, useCardContext, useLiveJob } from "@/views/graph/cardContext";
import classes from "@/views/graph/NodeCard.module.css";

export type CardNode = Node<{ card: Card }, "card">;

/** One job, dataset or group, near enough to be read. */
export const NodeCard = memo(function NodeCard({ data: { card } }: NodeProps<CardNode>) {
  const context = useCardContext();
  const actions = useActions();
  const { node } = card;
  const liveJob = useLiveJob(node.id, context.at);
  const run = latestRun(node, context.at);
  const isFaded = context.highlight !== null && !context.highlight.cards.has(node.id);
  const mark = context.cardMarks.get(node.id);
  const [isUnder, setIsUnder] = useState(false); // the pointer
  const isPeeked = useRest(isUnder) && node.kind === "dataset" && card.rows.length === 0;
  const rates = context.hasLabels && run?.state === "RUNNING" ? jobLabel(liveJob?.throughput ?? null) : null;
  return (
    <article
      className={classes.card}
      data-kind={node.kind}
      data-faded={isFaded || undefined}
      data-selected={context.selected === node.id || undefined}
      data-focus={context.focus === node.id || undefined}
      data-mark={mark}
      data-state={run?.state}
      data-alarm={liveJob?.isAlarming || undefined}
      data-node={node.id}
      style={
        {
          "--namespace": context.colourOf(node.namespace),
          width: card.width,
          height: card.height,
        } as React.CSSProperties
      }
      onMouseEnter={() => {
        actions.hover(node.id);
        setIsUnder(true);
      }}
      onMouseLeave={() => {
        actions.hover(null);
        setIsUnder(false);
      }}
    >
      <button
        type="button"
        className={classes.head}
        aria-pressed={context.selected === node.id}
        title={`${node.name}\n${node.namespace}`}
        onClick={() => actions.select(node.id)}
        onDoubleClick={() => actions.details(node.id)}
      >
        <span className={classes.icon}>
          <KindIcon node={node} />
        </span>
        <span className={classes.words}>
          <span className={classes.name}>
            <bdi>{node.label}</bdi>
          </span>
          <span className={classes.below}>
            {run !== null && (
              <span className={classes.state} data-state={run.state}>
                <span className={classes.dot} />
                {stateName(run.state)}
              </span>
            )}
            <span className={classes.namespace}>{rates ?? secondLine(node, context.hasLabels)}</span>
          </span>
        </span>
      </button>
      <CardButton node={node} />
      <More way="up" id={node.id} fan={context.missing.get(step("up", node.id))} />
      <More way="down" id={node.id} fan={context.missing.get(step("down", node.id))} />
      {card.rows.length > 0 && <ColumnRows rows={card.rows} />}
      {isPeeked && <ColumnPeek node={node} />}
    </article>
  );
});

/** Longer than a passing pointer stays on a card. */
const REST_MS = 450;

/** Whether something has been true for a while, so that a passing pointer has no effect. */
function useRest(holds: boolean): boolean {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    if (!holds) return setIsLong(false);
    const timer = setTimeout(() => setIsLong(true), REST_MS);
    return () => clearTimeout(timer);
  }, [holds]);
  return isLong;
}

function secondLine(node: ShownNode, hasLabels: boolean): string {
  if (node.kind === "group") return `${node.members.length} jobs`;
  if (node.kind === "dataset" && hasLabels) {
    if (node.writtenAt !== null) return `written ${ago(node.writtenAt)}`;
    if (node.updatedAt !== null) return `last seen ${ago(node.updatedAt)}`;
  }
  return node.namespace === "" ? "no namespace" : node.namespace;
}

function CardButton({ node }: { node: ShownNode }) {
  const actions = useActions();
  const context = useCardContext();
  if (node.kind === "job") return null;
  const isGroup = node.kind === "group";
  const label = isGroup ? "Expand group" : context.isOpen(node.id) ? "Hide columns" : "Show columns";
  return (
    <Tooltip label={label} openDelay={400}>
      <ActionIcon
        className={classes.button}
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`${label}: ${node.label}`}
        aria-expanded={isGroup ? undefined : context.isOpen(node.id)}
        onClick={() => (isGroup ? actions.openGroup(node.id) : actions.toggleColumns(node.id))}
      >
        {isGroup ? <IconArrowsMaximize size={14} /> : <IconLayoutList size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** Where there is more than is shown. */
function More({ way, id, fan }: { way: Way; id: string; fan: Fan | undefined }) {
  const actions = useActions();
  if (fan === undefined) return null;
  const words = `${fan.shown} of ${fan.all} shown ${way === "up" ? "upstream" : "downstream"}`;
  return (
    <button
      type="button"
      className={classes.more}
      data-way={way}
      title={`${words}: show more`}
      aria-label={`${words}: show more`}
      onClick={() => actions.openStep(way, id, fan.shown > 0)}
    >
      {way === "up" && <IconChevronLeft size={11} stroke={2.5} />}
      {fan.shown === 0 ? `+${fan.all}` : `${fan.shown}/${fan.all}`}
      {way === "down" && <IconChevronRight size={11} stroke={2.5} />}
    </button>
  );
}

function KindIcon({ node }: { node: ShownNode }) {
  if (node.kind === "group") return <IconStack2 size={17} aria-label="Group of jobs" />;
  if (node.kind === "job") {
    return node.type === "STREAM" ? (
      <IconBolt size={17} aria-label="Streaming job" />
    ) : (
      <IconPlayerPlay size={17} aria-label="Batch job" />
    );
  }
  if (node.namespace.startsWith("kafka:")) return <IconBroadcast size={17} aria-label="Topic" />;
  if (node.namespace === "file" && /\.\w+$/.test(node.name)) return <IconFile size={17} aria-label="File" />;
  return <IconTable size={17} aria-label="Dataset" />;
}
