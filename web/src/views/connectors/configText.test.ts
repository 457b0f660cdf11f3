import { expect, test } from "vitest";
import { readConfig, writeConfig } from "@/views/connectors/configText";

test("a file as Connect takes it has a name and options", () => {
  const text = '{"name": "copy", "config": {"topics": "a", "tasks.max": 2, "flag": true, "none": null}}';
  expect(readConfig(text)).toEqual({ name: "copy", config: { topics: "a", "tasks.max": "2", flag: "true" } });
});

test("options alone may have the name among them", () => {
  expect(readConfig('{"name": "copy", "topics": "a"}')).toEqual({
    name: "copy",
    config: { name: "copy", topics: "a" },
  });
  expect(readConfig('{"topics": "a"}').name).toBeNull();
});

test("what is written is read again", () => {
  const config = { topics: "a", "key.converter": "x" };
  expect(readConfig(writeConfig(config)).config).toEqual(config);
});

test.each([
  ["{", "Not valid JSON"],
  ["[]", "an object"],
  ['{"config": {"a": {"b": 1}}}', "value of a"],
])("%s is refused with a reason", (text, reason) => {
  expect(() => readConfig(text)).toThrow(reason);
});
