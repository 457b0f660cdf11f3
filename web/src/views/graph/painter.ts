/** Draws outside of React: when something changed, at most once a frame; the moving dots by themselves. */

import { type DrawStyle, draw, type View } from "@/graph/canvas";
import { clearTextCache } from "@/graph/fittedText";
import { drawMotion, type Moving } from "@/graph/motion";
import type { Scene } from "@/graph/scene";

export interface Picture {
  scene: Scene;
  style: DrawStyle;
  moving: () => readonly Moving[];
}

/** The sheet reaches so far beyond the window on each side, as a share of it: moving about shifts it and draws nothing. */
const MARGIN = 0.25;
const MOTION_MS = 40;
/** States on the sheet are drawn anew at most so often, however many change. */
const STATES_MS = 100;

export class Painter {
  /** What the window shows. */
  view: View = { x: 0, y: 0, zoom: 1, width: 0, height: 0, ratio: 1 };
  /** What is on the sheet: more than the window. */
  #drawn: View | null = null;
  #isStale = true;
  #isMoving = false;
  #frame = 0;
  #later: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly sheet: HTMLCanvasElement,
    private readonly motion: HTMLCanvasElement,
    private readonly latest: () => Picture,
  ) {
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#timer = setInterval(() => !isStill && this.#move(), MOTION_MS);
    document.fonts.addEventListener("loadingdone", this.#onFonts);
  }

  see(view: View): void {
    this.view = view;
    resize(this.motion, view);
    if (!this.#isStale && this.#shift()) {
      if (this.#isMoving) this.#soon();
    } else this.paintSoon();
  }

  paintSoon(): void {
    this.#isStale = true;
    this.#soon();
  }

  /** For changes that may come by the hundred. */
  paintLater(): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.paintSoon();
    }, STATES_MS);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#later);
    clearInterval(this.#timer);
    document.fonts.removeEventListener("loadingdone", this.#onFonts);
  }

  /** What was drawn before the page's own font was there was drawn with another one. */
  readonly #onFonts = () => {
    clearTextCache();
    this.paintSoon();
  };

  #soon(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#isStale) this.#paint();
      if (this.#isMoving) this.#move();
    });
  }

  #paint(): void {
    const context = this.sheet.getContext("2d");
    if (context === null || this.view.width === 0) return;
    const { scene, style } = this.latest();
    // Names of lanes stand at the side of the window: with them there is nothing to shift.
    const margin = scene.lanes.length > 0 ? 0 : MARGIN;
    this.#drawn = wider(this.view, margin);
    this.#isStale = false;
    resize(this.sheet, this.#drawn);
    draw(context, scene, this.#drawn, style);
    this.#shift();
  }

  /** Puts the sheet in its place; false if it does not reach to all sides of the window. */
  #shift(): boolean {
    const { view } = this;
    const drawn = this.#drawn;
    if (drawn === null || drawn.zoom !== view.zoom || drawn.ratio !== view.ratio) return false;
    const [left, top] = [view.x - drawn.x, view.y - drawn.y];
    if (left > 0 || top > 0 || left + drawn.width < view.width || top + drawn.height < view.height) return false;
    this.sheet.style.transform = `translate(${left}px, ${top}px)`;
    return true;
  }

  #move(): void {
    if (document.hidden) return;
    const moving = this.latest().moving();
    if (moving.length === 0 && !this.#isMoving) return;
    this.#isMoving = moving.length > 0;
    const context = this.motion.getContext("2d");
    if (context !== null) drawMotion(context, moving, this.view, performance.now() / 1000);
  }
}

function wider(view: View, margin: number): View {
  const [x, y] = [Math.round(view.width * margin), Math.round(view.height * margin)];
  return { ...view, x: view.x + x, y: view.y + y, width: view.width + 2 * x, height: view.height + 2 * y };
}

function resize(canvas: HTMLCanvasElement, { width, height, ratio }: View): void {
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width === across && canvas.height === down) return;
  [canvas.width, canvas.height] = [across, down];
  [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
}
