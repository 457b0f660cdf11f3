/** Heights of what lies over the graph, in pixels. */

export const TOOLBAR = 46;
export const TIME_BAR = 80;
/** At the bottom. */
export const LEGEND = 40;
