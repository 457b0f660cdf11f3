/** The live stream: one connection for the whole page, which reconnects by itself. */

import type { LiveChange, LiveHello, LiveResync } from "@/api/schema";

export interface LiveListener {
  change?: (change: LiveChange) => void;
  /** Some changes were missed: fetch again what is shown. */
  resync?: () => void;
  state?: (state: LiveState) => void;
}

export type LiveState = "connecting" | "open" | "disconnected";

/** Browsers do not reconnect by themselves after an answer that is no stream, such as a proxy's 502. */
const RETRY_MS = 3000;

class Live {
  readonly #listeners = new Set<LiveListener>();
  #source: EventSource | null = null;
  #state: LiveState = "connecting";
  #position: number | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;

  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener);
    if (this.#source === null) this.#connect();
    listener.state?.(this.#state);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  }

  #connect(): void {
    const from = this.#position === null ? "" : `?lastEventId=${this.#position}`;
    const source = new EventSource(`/api/v1/live${from}`);
    this.#source = source;
    source.onopen = () => this.#setState("open");
    source.onerror = () => {
      this.#setState("disconnected");
      if (source.readyState !== EventSource.CLOSED) return;
      this.#retry = setTimeout(() => this.#connect(), RETRY_MS);
    };
    source.addEventListener("hello", (message) => {
      const isFirst = this.#position === null;
      this.#position = (JSON.parse(message.data) as LiveHello).position;
      // What changed after the first answers came and before the stream began is in neither.
      if (isFirst) for (const listener of this.#listeners) listener.resync?.();
    });
    source.addEventListener("change", (message) => {
      const change = JSON.parse(message.data) as LiveChange;
      this.#position = change.position;
      for (const listener of this.#listeners) listener.change?.(change);
    });
    source.addEventListener("resync", (message) => {
      this.#position = (JSON.parse(message.data) as LiveResync).position;
      for (const listener of this.#listeners) listener.resync?.();
    });
  }

  #close(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = null;
    this.#state = "connecting";
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener.state?.(state);
  }
}

export const live = new Live();
