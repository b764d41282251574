import { t, type ListMerge, type MessageClass } from '#schema';

export interface ScalingPolicy {
  type: string;
  value: number;
  periodSeconds: number;
}

export interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: ScalingPolicy[];
}

/** The rules for the speed of scaling. */
export interface Behavior {
  scaleUp?: ScalingRules;
  scaleDown?: ScalingRules;
}

const PERCENT: ScalingPolicy = { type: 'Percent', value: 100, periodSeconds: 15 };
const PODS: ScalingPolicy = { type: 'Pods', value: 4, periodSeconds: 15 };

/** Sets the defaults: scaling up at once and quickly, scaling down after the window that the controller configures. */
function fillBehavior(behavior: Behavior): void {
  behavior.scaleUp = { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [{ ...PODS }, { ...PERCENT }], ...behavior.scaleUp };
  behavior.scaleDown = { selectPolicy: 'Max', policies: [{ ...PERCENT }], ...behavior.scaleDown };
}

/** The message of one API version. */
export function behaviorMessage(version: 'v2' | 'v2beta2'): MessageClass<Behavior> {
  const name = (of: string): string => `autoscaling/${version}.${of}`;
  const listMerge: ListMerge | undefined = version === 'v2' ? 'atomic' : undefined;
  const policy = t.message(name('HPAScalingPolicy'), {
    type: t.string(1).required(),
    value: t.int32(2).required(),
    periodSeconds: t.int32(3).required(),
  });
  const rules = t.message(name('HPAScalingRules'), {
    stabilizationWindowSeconds: t.maybe.int32(3),
    selectPolicy: t.maybe.string(1),
    policies: t.many(2, policy, listMerge).keepEmpty(),
  });
  return t.message(name('HorizontalPodAutoscalerBehavior'), { scaleUp: t.perhaps(1, rules), scaleDown: t.perhaps(2, rules) }, { defaults: fillBehavior });
}
