import { expect, test } from "vitest";
import { lagOf, rateOf, shortClass, stateOf, tasksOf } from "@/views/connectors/summary";

const task = (state: string, id = 0) => ({ id, state, worker: "w", trace: null });

test("a connector whose task failed has failed, whatever it says of itself", () => {
  expect(stateOf({ state: "RUNNING", tasks: [task("RUNNING"), task("FAILED", 1)] })).toBe("FAILED");
  expect(stateOf({ state: "PAUSED", tasks: [task("PAUSED")] })).toBe("PAUSED");
});

test("tasks are counted by state", () => {
  expect(tasksOf([])).toBe("no tasks");
  expect(tasksOf([task("RUNNING")])).toBe("1 of 1 running");
  expect(tasksOf([task("RUNNING"), task("FAILED", 1), task("FAILED", 2)])).toBe("1 of 3 running, 2 failed");
});

test("flow of several topics is added up; of none it is empty", () => {
  const flow = [
    { topic: "a", messagesPerSecond: 1.5, lag: 2 },
    { topic: "b", messagesPerSecond: 2, lag: null },
  ];
  expect(rateOf(flow)).toBe("3.50/s");
  expect(lagOf(flow)).toBe("2");
  expect([rateOf([]), lagOf([])]).toEqual(["", ""]);
});

test("a class is known by its last name", () => {
  expect(shortClass("org.example.Sink")).toBe("Sink");
  expect(shortClass("Sink")).toBe("Sink");
});
