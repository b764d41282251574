/** Durations as tables show them. @spec 2.5 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

interface Step {
  /** For durations below this. */
  readonly belowMs: number;
  readonly unitMs: number;
  readonly unit: string;
  /** The second, smaller unit, shown where it is not zero. */
  readonly restMs?: number;
  readonly restUnit?: string;
}

/** Longer durations are coarser; two units while the first is small. */
const STEPS: readonly Step[] = [
  { belowMs: 2 * MINUTE_MS, unitMs: SECOND_MS, unit: 's' },
  { belowMs: 10 * MINUTE_MS, unitMs: MINUTE_MS, unit: 'm', restMs: SECOND_MS, restUnit: 's' },
  { belowMs: 3 * HOUR_MS, unitMs: MINUTE_MS, unit: 'm' },
  { belowMs: 8 * HOUR_MS, unitMs: HOUR_MS, unit: 'h', restMs: MINUTE_MS, restUnit: 'm' },
  { belowMs: 2 * DAY_MS, unitMs: HOUR_MS, unit: 'h' },
  { belowMs: 8 * DAY_MS, unitMs: DAY_MS, unit: 'd', restMs: HOUR_MS, restUnit: 'h' },
  { belowMs: 2 * YEAR_MS, unitMs: DAY_MS, unit: 'd' },
  { belowMs: 8 * YEAR_MS, unitMs: YEAR_MS, unit: 'y', restMs: DAY_MS, restUnit: 'd' },
  { belowMs: Infinity, unitMs: YEAR_MS, unit: 'y' },
];

/** `5s`, `3m2s`, `4h`, `2d`; a little below zero is `0s` (clocks differ), more is `<invalid>`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return ms > -2 * SECOND_MS ? '0s' : '<invalid>';
  const step = STEPS.find(({ belowMs }) => ms < belowMs);
  if (step === undefined) return '<invalid>';
  const rest = step.restMs === undefined ? 0 : Math.floor((ms % step.unitMs) / step.restMs);
  return `${Math.floor(ms / step.unitMs)}${step.unit}${rest === 0 ? '' : `${rest}${step.restUnit}`}`;
}

/** How long ago a moment was, in wire form; `<unknown>` without one. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  const ms = time ? Date.parse(time) : NaN;
  return Number.isNaN(ms) ? '<unknown>' : formatDuration(nowMs - ms);
}
