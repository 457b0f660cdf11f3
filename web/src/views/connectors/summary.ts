/** States of connectors and their tasks, and what flows through them, in a few words. */

import type { Connector } from "@/api/schema";
import { amount } from "@/parts/format";

/** The worst that is true of it: a connector calls itself running while all of its tasks have failed. */
export function stateOf(connector: Pick<Connector, "state" | "tasks">): string {
  return connector.tasks.some((task) => task.state === "FAILED") ? "FAILED" : connector.state;
}

/** `2 of 3 running, 1 failed`. */
export function tasksOf(tasks: Connector["tasks"]): string {
  if (tasks.length === 0) return "no tasks";
  const running = tasks.filter((task) => task.state === "RUNNING").length;
  const others = new Map<string, number>();
  for (const { state } of tasks) if (state !== "RUNNING") others.set(state, (others.get(state) ?? 0) + 1);
  const rest = [...others].map(([state, count]) => `${count} ${state.toLowerCase()}`);
  return [`${running} of ${tasks.length} running`, ...rest].join(", ");
}

export function rateOf(flow: Connector["flow"]): string {
  const known = flow.flatMap((topic) => topic.messagesPerSecond ?? []);
  return known.length === 0 ? "" : `${amount(known.reduce((a, b) => a + b, 0))}/s`;
}

export function lagOf(flow: Connector["flow"]): string {
  const known = flow.flatMap((topic) => topic.lag ?? []);
  return known.length === 0 ? "" : amount(known.reduce((a, b) => a + b, 0));
}

/** The last part of a Java class's name. */
export function shortClass(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
