import classes from "@/parts/parts.module.css";

/** Small charts, plain SVG. Each is an image with one sentence; exact values are in the tables beside. */

interface BarsProps {
  values: { key: string; value: number | null; colour: string; title: string }[];
  label: string;
  height?: number;
  onPick?: (key: string) => void;
  picked?: string | null;
}

const WIDTH = 600;

/** One bar for each value, from left to right. Bars can be picked by mouse; the table beside by keyboard. */
export function Bars({ values, label, height = 64, onPick, picked }: BarsProps) {
  const tall = heights(
    values.map((each) => each.value),
    height,
  );
  const step = Math.min(28, WIDTH / Math.max(values.length, 1));
  return (
    <svg
      className={classes.chart}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line className={classes.grid} x1={0} x2={WIDTH} y1={height - 0.5} y2={height - 0.5} />
      {values.map((each, at) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the table beside has buttons for the same
        <rect
          key={each.key}
          className={onPick === undefined ? undefined : classes.bar}
          x={at * step + step * 0.12}
          y={height - (tall[at] ?? 0)}
          width={step * 0.76}
          height={tall[at]}
          rx={1.5}
          fill={each.colour}
          stroke={picked === each.key ? "var(--mantine-color-text)" : undefined}
          strokeWidth={2}
          onClick={onPick === undefined ? undefined : () => onPick(each.key)}
        >
          <title>{each.title}</title>
        </rect>
      ))}
    </svg>
  );
}

const LEAST = 3; // pixels: what took no time is still seen

/** How tall bars are. Those without a value, such as runs in progress, are as tall as the tallest. */
function heights(values: (number | null)[], height: number): number[] {
  const top = Math.max(1, ...values.map((value) => value ?? 0));
  return values.map((value) => Math.max(LEAST, ((value ?? top) / top) * (height - 2)));
}

interface StackProps {
  columns: { key: string; title: string; parts: { value: number; colour: string }[] }[];
  label: string;
  height?: number;
}

/** Bars of several parts each, for counts over time. */
export function StackedBars({ columns, label, height = 64 }: StackProps) {
  const sums = columns.map((column) => column.parts.reduce((sum, part) => sum + part.value, 0));
  const top = Math.max(1, ...sums);
  const step = WIDTH / Math.max(columns.length, 1);
  return (
    <svg
      className={classes.chart}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line className={classes.grid} x1={0} x2={WIDTH} y1={height - 0.5} y2={height - 0.5} />
      {columns.map((column, at) => {
        let y = height;
        return (
          <g key={column.key}>
            <title>{column.title}</title>
            <rect x={at * step} y={0} width={step} height={height} fill="transparent" />
            {column.parts.map((part) => {
              const tall = (part.value / top) * (height - 4);
              y -= tall;
              return (
                <rect
                  key={part.colour}
                  x={at * step + step * 0.12}
                  y={y}
                  width={step * 0.76}
                  height={tall}
                  fill={part.colour}
                />
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

interface LineProps {
  values: number[];
  label: string;
  height?: number;
  colour?: string;
}

/** A line through values at equal distances. */
export function Sparkline({ values, label, height = 40, colour = "var(--mantine-color-cyan-6)" }: LineProps) {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(values.length - 1, 1);
  const points = values.map((value, at) => `${at * step},${height - 2 - (value / top) * (height - 6)}`);
  return (
    <svg
      className={classes.chart}
      viewBox={`0 0 ${WIDTH} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polygon points={`0,${height} ${points.join(" ")} ${WIDTH},${height}`} fill={colour} opacity={0.15} />
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke={colour}
        strokeWidth={2}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
