import { readUsage, type ResourceQuota, type Usage } from '#kinds';
import type { Quantity } from '#schema';
import type { Charge } from './charge.ts';

/** A quota that is being charged: its amounts are read once, however many wait. */
export interface Account {
  readonly quota: ResourceQuota;
  readonly hard: Usage;
  /** Grows with every charge. */
  readonly used: Map<string, Quantity>;
}

export const openAccount = (quota: ResourceQuota): Account => ({
  quota,
  hard: readUsage(quota.status.hard),
  used: new Map(readUsage(quota.status.used)),
});

/** What of a charge a quota counts. */
export const shareOf = ({ usage }: Charge, { hard }: Pick<Account, 'hard'>): Usage => new Map([...usage].filter(([name]) => hard.has(name)));
