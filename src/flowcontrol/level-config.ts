/** What a PriorityLevelConfiguration says, as far as it counts here. */
export interface LevelConfig {
  /** Nothing is held back and nothing is counted. */
  readonly isExempt: boolean;
  /** Its part of all that runs at once, in relation to the parts of the other levels. */
  readonly shares: number;
  /** Absent: what cannot run at once is refused. */
  readonly queuing?: Queuing;
}

/** How those wait that cannot run at once. */
export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** The spec of a stored object; every member may be missing, since nobody has validated it here. */
export interface LevelSpec {
  readonly type?: string;
  readonly limited?: {
    readonly assuredConcurrencyShares?: number;
    readonly limitResponse?: { readonly type?: string; readonly queuing?: Partial<Queuing> };
  };
}

const DEFAULT_SHARES = 30;
const DEFAULT_QUEUING: Queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 };

/** The spec of a stored level, with what the API has by default for all that is missing. */
export function readLevel({ type, limited }: LevelSpec): LevelConfig {
  if (type === 'Exempt') return { isExempt: true, shares: 0 };
  const shares = Math.max(1, limited?.assuredConcurrencyShares ?? DEFAULT_SHARES);
  const { limitResponse } = limited ?? {};
  if (limitResponse?.type !== 'Queue') return { isExempt: false, shares };
  return { isExempt: false, shares, queuing: { ...DEFAULT_QUEUING, ...limitResponse.queuing } };
}
