const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 1e-3, µs: 1e-3, μs: 1e-3, ns: 1e-6 };
const PART = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns)/y;
const MAX_LENGTH = 64;
/** The longest duration of Go: 2^63 - 1 nanoseconds, 2562047h47m16.854775807s. */
const LONGEST_MS = 9_223_372_036_854.775;

/** A duration such as `1h15m`, `30s` or `-1.5ms`, in milliseconds. `undefined`: not a duration, or longer than 292 years, which Go refuses, too. */
export function parseDurationMs(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0;
  let total = 0;
  let at = 0;
  while (at < rest.length) {
    PART.lastIndex = at;
    const part = PART.exec(rest);
    if (part === null) return undefined;
    total += Number(part[1]) * (UNIT_MS[part[2] as string] ?? 0);
    at = PART.lastIndex;
  }
  return at === 0 || total > LONGEST_MS ? undefined : sign * total;
}
