import type { Run } from "@/api/schema";
import { duration, moment, plural } from "@/parts/format";
import classes from "@/parts/parts.module.css";
import { useNow } from "@/parts/useNow";
import { stateColour, stateName } from "@/theme/states";
import { lanes } from "@/views/details/timelineLanes";

const WIDTH = 600;
const LANE = 16;
const AXIS = 18;

/** When each run began and ended; those that overlap lie below each other. */
export function Timeline({ runs, onPick }: { runs: Run[]; onPick: (runId: string) => void }) {
  const now = useNow();
  const { bars, from, to, count } = lanes(runs, now);
  const x = (at: number) => ((at - from) / Math.max(1, to - from)) * WIDTH;
  const height = count * LANE + AXIS;
  const label = `${plural(bars.length, "run")} between ${moment(new Date(from).toISOString())} and ${moment(new Date(to).toISOString())}`;
  return (
    <svg className={classes.chart} viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={label}>
      {bars.map(({ run, lane, start, end }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the list below has buttons for the same
        <rect
          key={run.id}
          className={classes.bar}
          x={x(start)}
          y={lane * LANE + 2}
          width={Math.max(3, x(end) - x(start))}
          height={LANE - 4}
          rx={2}
          fill={stateColour(run.state)}
          onClick={() => onPick(run.id)}
        >
          <title>{`${stateName(run.state)}, ${moment(new Date(start).toISOString())}, ${duration(end - start)}`}</title>
        </rect>
      ))}
      <line className={classes.grid} x1={0} x2={WIDTH} y1={height - AXIS + 1} y2={height - AXIS + 1} />
      <text className={classes.axis} x={0} y={height - 3}>
        {moment(new Date(from).toISOString())}
      </text>
      <text className={classes.axis} x={WIDTH} y={height - 3} textAnchor="end">
        {moment(new Date(to).toISOString())}
      </text>
    </svg>
  );
}
