import { Tooltip } from "@mantine/core";
import { ago, moment } from "@/parts/format";
import { useNow } from "@/parts/useNow";

/** How long ago, with the exact time on hover and for screen readers. */
export function TimeAgo({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (at == null) return <span>–</span>;
  return (
    <Tooltip label={moment(at)} openDelay={300}>
      <time dateTime={at} style={{ whiteSpace: "nowrap" }}>
        {ago(at, now)}
      </time>
    </Tooltip>
  );
}
