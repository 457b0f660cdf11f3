import { IconColumns3, IconDatabase, IconSettingsAutomation } from "@tabler/icons-react";
import { kindOf, shortName } from "@/api/names";
import { cut } from "@/parts/format";
import classes from "@/parts/parts.module.css";

const ICONS = { job: IconSettingsAutomation, dataset: IconDatabase, column: IconColumns3 };

interface Props {
  nodeId: string;
  name: string;
  namespace?: string;
  onClick?: (nodeId: string) => void;
}

/** A job, dataset or column. Names may be long, right to left or full of markup; they stay in their place. */
export function NodeName({ nodeId, name, namespace, onClick }: Props) {
  const kind = kindOf(nodeId);
  const Icon = ICONS[kind];
  const inside = (
    <>
      <Icon size={16} className={classes.kind} data-kind={kind} aria-label={kind} role="img" />
      <span className={classes.names}>
        <bdi className={classes.name} title={name.length < 500 ? name : undefined}>
          {shortName(name)}
        </bdi>
        {namespace !== undefined && <bdi className={classes.namespace}>{where(namespace, name)}</bdi>}
      </span>
    </>
  );
  if (onClick === undefined) return <span className={classes.node}>{inside}</span>;
  return (
    <button type="button" className={`${classes.node} ${classes.press}`} onClick={() => onClick(nodeId)}>
      {inside}
    </button>
  );
}

/** The namespace, and the path where the short name is not all of it. */
function where(namespace: string, name: string): string {
  const shown = namespace === "" ? "no namespace" : namespace;
  return shortName(name) === name ? shown : `${shown} · ${cut(name, 300)}`;
}
