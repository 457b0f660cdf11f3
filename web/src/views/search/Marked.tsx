import parts from "@/parts/parts.module.css";
import { pieces } from "@/views/search/highlight";

/** A text with its matches marked. */
export function Marked({ text }: { text: string }) {
  return (
    <bdi>
      {pieces(text).map((piece, at) =>
        piece.hit ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
          <mark key={at} className={parts.mark}>
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </bdi>
  );
}
