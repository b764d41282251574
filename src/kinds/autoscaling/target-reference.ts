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

/** A reference to a scaled or measured object, in the given API version. Only v1 treats it as atomic. */
export const targetReference = (version: string): MessageClass<TargetReference> =>
  t.message(`autoscaling/${version}.CrossVersionObjectReference`, members, { isAtomic: version === 'v1' });
