/** Texts on the canvas, cut to the width that they may have. */

const textCache = new Map<string, string>();
/** Beyond this many texts the cache is emptied. */
const MOST_CACHED = 20_000;

/** For when texts were measured with another font. */
export const clearTextCache = () => textCache.clear();

/** The text with its end cut off where it would be too wide. Measuring is slow, so results are cached. */
export function shortened(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${context.font} ${Math.round(width)} ${text}`;
  const cached = textCache.get(key);
  if (cached !== undefined) return cached;
  let fitted = text.slice(0, 200);
  if (context.measureText(fitted).width > width) {
    let [fits, tooLong] = [0, fitted.length];
    while (tooLong - fits > 1) {
      const half = (fits + tooLong) >> 1;
      if (context.measureText(`${fitted.slice(0, half)}…`).width <= width) fits = half;
      else tooLong = half;
    }
    fitted = `${fitted.slice(0, fits)}…`;
  }
  if (textCache.size > MOST_CACHED) textCache.clear();
  textCache.set(key, fitted);
  return fitted;
}
