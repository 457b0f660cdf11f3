/** What the live stream says of single jobs, with a subscription for each: a change notifies only who shows that job. */

import type { LastRun } from "@/graph/model";

/** How a stream is doing, as of its last RUNNING event. */
export interface Throughput {
  outRate: number | null; // records a second
  inRate: number | null;
  lag: number | null; // records between its position and the end of what it reads
  watermark: string | null;
  at: string; // when it was reported
}

export interface LiveJob {
  run: LastRun;
  throughput: Throughput | null;
  /** It failed or was aborted while the graph was open, and its card was not clicked since. */
  isAlarming: boolean;
}

export class LiveJobs {
  readonly #jobs = new Map<string, LiveJob>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #everyone = new Set<() => void>();
  #changed = new Set<string>();
  #isScheduled = false;

  /** Listeners are notified once a frame, however many changes come in between. */
  constructor(private readonly schedule: (notify: () => void) => void = (notify) => setTimeout(notify, 16)) {}

  get(job: string): LiveJob | undefined {
    return this.#jobs.get(job);
  }

  set(job: string, liveJob: LiveJob): void {
    this.#jobs.set(job, liveJob);
    this.#changed.add(job);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.schedule(() => this.#notify());
  }

  /** The stream was interrupted, or another time is shown: what queries say counts again. */
  clear(): void {
    for (const job of this.#jobs.keys()) this.#changed.add(job);
    this.#jobs.clear();
    this.#notify();
  }

  subscribe(job: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(job) ?? new Set();
    this.#listeners.set(job, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(job);
    };
  }

  subscribeToAll(listener: () => void): () => void {
    this.#everyone.add(listener);
    return () => this.#everyone.delete(listener);
  }

  #notify(): void {
    this.#isScheduled = false;
    const changed = this.#changed;
    this.#changed = new Set();
    for (const job of changed) for (const listener of this.#listeners.get(job) ?? []) listener();
    for (const listener of this.#everyone) listener();
  }
}

export const liveJobs = new LiveJobs();
