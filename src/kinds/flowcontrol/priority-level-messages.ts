import { t } from '#schema';

/** Defaults for concurrency shares and queuing. */
export const PRIORITY_LEVEL_DEFAULTS = { shares: 30, queues: 64, handSize: 8, queueLengthLimit: 50 } as const;

/** The messages of a PriorityLevelConfiguration in one version. */
export function priorityLevelOf(version: string) {
  const name = (what: string): string => `flowcontrol/${version}.${what}`;
  const QueuingConfiguration = t.message(name('QueuingConfiguration'), {
    queues: t.int32(1).always().default(PRIORITY_LEVEL_DEFAULTS.queues),
    handSize: t.int32(2).always().default(PRIORITY_LEVEL_DEFAULTS.handSize),
    queueLengthLimit: t.int32(3).always().default(PRIORITY_LEVEL_DEFAULTS.queueLengthLimit),
  });
  const LimitResponse = t.message(name('LimitResponse'), {
    type: t.string(1).required(),
    queuing: t.perhaps(2, QueuingConfiguration),
  });
  const Limited = t.message(name('LimitedPriorityLevelConfiguration'), {
    assuredConcurrencyShares: t.int32(1).always().default(PRIORITY_LEVEL_DEFAULTS.shares),
    limitResponse: t.one(2, LimitResponse),
  });
  const Spec = t.message(name('PriorityLevelConfigurationSpec'), {
    type: t.string(1).required(),
    limited: t.perhaps(2, Limited),
  });
  const Condition = t.message(name('PriorityLevelConfigurationCondition'), {
    type: t.string(1),
    status: t.string(2),
    lastTransitionTime: t.time(3),
    reason: t.string(4),
    message: t.string(5),
  });
  const Status = t.message(name('PriorityLevelConfigurationStatus'), { conditions: t.many(1, Condition, { map: ['type'] }) });
  return t.message(name('PriorityLevelConfiguration'), { spec: t.one(2, Spec), status: t.one(3, Status) });
}

type PriorityLevelBody = InstanceType<ReturnType<typeof priorityLevelOf>>;

export type PriorityLevelSpec = PriorityLevelBody['spec'];
export type LimitedLevel = NonNullable<PriorityLevelSpec['limited']>;
export type LimitResponse = LimitedLevel['limitResponse'];
export type Queuing = NonNullable<LimitResponse['queuing']>;
