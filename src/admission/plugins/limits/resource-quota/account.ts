import { readUsage, type ResourceQuota, type Usage } from '#kinds';
import type { Quantity } from '#schema';
import type { Charge } from './charge.ts';

/** A quota while it is charged: its quantities are parsed once, however many charges are pending. */
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

/** The part of a charge's usage that the quota counts. */
export const shareOf = ({ usage }: Charge, { hard }: Pick<Account, 'hard'>): Usage => new Map([...usage].filter(([name]) => hard.has(name)));
