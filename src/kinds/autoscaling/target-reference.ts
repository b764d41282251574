import { t, type MessageClass } from '#schema';

const members = {
  kind: t.string(1).required(),
  name: t.string(2).required(),
  apiVersion: t.string(3),
};

export interface TargetReference {
  kind: string;
  name: string;
  apiVersion?: string;
}

/** An object that can be scaled or measured, in any of its versions. Only the oldest version takes it as one piece. */
export const targetReference = (version: string): MessageClass<TargetReference> =>
  t.message(`autoscaling/${version}.CrossVersionObjectReference`, members, { isAtomic: version === 'v1' });
