/** How often work can be done in a second, for programs that look at functions without a server. */

const SPAN_MS = 400;

/** Prints it in a line of its own, after some rounds that warm up. `atOnce`: how often it is done between two looks at the clock. */
export function tellPerSecond(name: string, work: () => unknown, atOnce = 100): void {
  for (let warm = 0; warm < 20 * atOnce; warm++) work();
  const from = performance.now();
  let count = 0;
  while (performance.now() - from < SPAN_MS) {
    for (let i = 0; i < atOnce; i++) work();
    count += atOnce;
  }
  const perSecond = Math.round((count / (performance.now() - from)) * 1_000);
  console.log(`${name.padEnd(24)} ${perSecond.toLocaleString('en').padStart(12)} /s`);
}
