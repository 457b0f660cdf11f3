/** The layout beside the page's own thread, so that the page never stands still. */

import { layout, type Task } from "@/graph/layout";

export interface LayoutRequest {
  number: number;
  task: Task;
}

self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => {
  self.postMessage({ number: data.number, places: layout(data.task) });
};
