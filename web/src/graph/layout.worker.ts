/** The layout beside the page's own thread, so that the page never stands still. */

import { layout, type Task } from "@/graph/layout";

export interface Asked {
  number: number;
  task: Task;
}

self.onmessage = ({ data }: MessageEvent<Asked>) => {
  self.postMessage({ number: data.number, places: layout(data.task) });
};
