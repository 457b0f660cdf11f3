/** What is known right now of single jobs, with a subscription for each: a change wakes only who shows that job. */

import type { LastRun } from "@/graph/model";

/** How a stream is doing, as its last RUNNING event told. */
export interface Flow {
  rate: number | null; // records a second that come out
  read: number | null; // and that go in
  behind: number | null; // records between its place and the end of what it reads
  watermark: string | null;
  at: string; // when it was told
}

export interface LiveJob {
  run: LastRun;
  flow: Flow | null;
  /** It failed or was aborted while one looked, and nobody has looked at it since. */
  isAlarming: boolean;
}

export class LiveJobs {
  readonly #liveJobs = new Map<string, LiveJob>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #everyone = new Set<() => void>();
  #waiting = new Set<string>();
  #isScheduled = false;

  /** Told together, once a frame, however many come in between. */
  constructor(private readonly later: (tell: () => void) => void = (tell) => setTimeout(tell, 16)) {}

  get(job: string): LiveJob | undefined {
    return this.#liveJobs.get(job);
  }

  set(job: string, fact: LiveJob): void {
    this.#liveJobs.set(job, fact);
    this.#waiting.add(job);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.later(() => this.#tell());
  }

  /** The stream was interrupted, or another time is looked at: what answers say counts again. */
  clear(): void {
    for (const job of this.#liveJobs.keys()) this.#waiting.add(job);
    this.#liveJobs.clear();
    this.#tell();
  }

  subscribe(job: string, listener: () => void): () => void {
    const there = this.#listeners.get(job) ?? new Set();
    this.#listeners.set(job, there.add(listener));
    return () => {
      there.delete(listener);
      if (there.size === 0) this.#listeners.delete(job);
    };
  }

  subscribeToAll(listener: () => void): () => void {
    this.#everyone.add(listener);
    return () => this.#everyone.delete(listener);
  }

  #tell(): void {
    this.#isScheduled = false;
    const changed = this.#waiting;
    this.#waiting = new Set();
    for (const job of changed) for (const listener of this.#listeners.get(job) ?? []) listener();
    for (const listener of this.#everyone) listener();
  }
}

export const liveJobs = new LiveJobs();
