import { useElementSize } from "@mantine/hooks";
import { type HistoryMark, thinned } from "@/graph/history";
import { moment } from "@/parts/format";
import { markColour, stateColour } from "@/theme/states";
import classes from "@/views/graph/TimeBar.module.css";

const COLOURS: Record<HistoryMark["kind"], string> = {
  run: stateColour("NEW"),
  failure: stateColour("FAILED"),
  schema: markColour("changed"),
};

interface Props {
  marks: readonly HistoryMark[];
  range: readonly [number, number];
  onGo: (mark: HistoryMark) => void;
}

/** Runs as ticks, failures as red triangles, changes of a schema as amber diamonds. The buttons beside reach them by keyboard. */
export function HistoryMarks({ marks, range: [from, to], onGo }: Props) {
  const { ref, width } = useElementSize();
  return (
    <div ref={ref}>
      <svg className={classes.marks} role="img" aria-label={summaryOf(marks)}>
        {thinned(marks, from, to, width).map((mark) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the buttons before and after do the same
          <g
            key={`${mark.kind} ${mark.at} ${mark.words}`}
            className={classes.mark}
            transform={`translate(${((mark.at - from) / (to - from)) * width} 0)`}
            fill={COLOURS[mark.kind]}
            onClick={() => onGo(mark)}
          >
            <title>{`${mark.words}, ${moment(new Date(mark.at).toISOString())}`}</title>
            {mark.kind === "run" && <rect x={-0.75} y={8} width={1.5} height={13} />}
            {mark.kind === "failure" && <path d="M0 7l5 9h-10z" />}
            {mark.kind === "schema" && <path d="M0 2l5 5l-5 5l-5-5z" />}
          </g>
        ))}
      </svg>
    </div>
  );
}

function summaryOf(marks: readonly HistoryMark[]): string {
  const count = (kind: HistoryMark["kind"]) => marks.filter((mark) => mark.kind === kind).length;
  return `${count("run")} runs, ${count("failure")} failures, ${count("schema")} schema changes`;
}
