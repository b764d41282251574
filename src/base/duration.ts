const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 1e-3, µs: 1e-3, μs: 1e-3, ns: 1e-6 };
const PART = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns)/y;
const MAX_LENGTH = 64;

/** A duration such as `1h15m`, `30s` or `-1.5ms`, in milliseconds. `undefined`: not a duration. */
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
  return at === 0 ? undefined : sign * total;
}
