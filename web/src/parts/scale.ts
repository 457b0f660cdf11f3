const LEAST = 3; // pixels: what took no time is still seen

/** How tall bars are. Those without a value, such as runs that go on, are as tall as the tallest. */
export function heights(values: (number | null)[], height: number): number[] {
  const top = Math.max(1, ...values.map((value) => value ?? 0));
  return values.map((value) => Math.max(LEAST, ((value ?? top) / top) * (height - 2)));
}
