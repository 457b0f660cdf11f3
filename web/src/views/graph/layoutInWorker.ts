import type { Places, Task } from "@/graph/layout";
import type { LayoutRequest } from "@/graph/layout.worker";

interface Answer {
  number: number;
  places: Places;
}

let worker: Worker | null = null;
let requests = 0;
const waiting = new Map<number, (places: Places) => void>();

/** The layout of a task, without holding up the page. */
export function layoutInWorker(task: Task): Promise<Places> {
  worker ??= started();
  const number = ++requests;
  const question: LayoutRequest = { number, task };
  worker.postMessage(question);
  return new Promise((resolve) => waiting.set(number, resolve));
}

function started(): Worker {
  const made = new Worker(new URL("../../graph/layout.worker.ts", import.meta.url), { type: "module" });
  made.onmessage = ({ data }: MessageEvent<Answer>) => {
    waiting.get(data.number)?.(data.places);
    waiting.delete(data.number);
  };
  return made;
}
