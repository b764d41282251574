import { PRIORITY_LEVEL_DEFAULTS } from '#kinds';

/** The configuration of a priority level. */
export interface LevelConfig {
  /** Requests are neither limited nor counted. */
  readonly isExempt: boolean;
  /** Its concurrency shares, in relation to those of the other levels. */
  readonly shares: number;
  /** Absent: requests beyond the concurrency limit are rejected. */
  readonly queuing?: Queuing;
}

/** Queues of a level. */
export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** The spec of a stored object; any field may be missing, because nothing validates it here. */
export interface LevelSpec {
  readonly type?: string;
  readonly limited?: {
    readonly assuredConcurrencyShares?: number;
    readonly limitResponse?: { readonly type?: string; readonly queuing?: Partial<Queuing> };
  };
}

const { shares: DEFAULT_SHARES, ...DEFAULT_QUEUING } = PRIORITY_LEVEL_DEFAULTS;

/** Reads the spec of a stored level, with the API's defaults for missing fields. */
export function readLevel({ type, limited }: LevelSpec): LevelConfig {
  if (type === 'Exempt') return { isExempt: true, shares: 0 };
  const shares = Math.max(1, limited?.assuredConcurrencyShares ?? DEFAULT_SHARES);
  const { limitResponse } = limited ?? {};
  if (limitResponse?.type !== 'Queue') return { isExempt: false, shares };
  return { isExempt: false, shares, queuing: { ...DEFAULT_QUEUING, ...limitResponse.queuing } };
}
