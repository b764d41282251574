import type { ApiObject, KindObject } from '#api';
import { quantityScalar, stringScalar, t } from '#schema';
import { Toleration } from '../core/pod/toleration.ts';

const overhead = { podFixed: t.map(1, quantityScalar) };
const scheduling = { nodeSelector: t.map(1, stringScalar).atomicMap(), tolerations: t.many(2, Toleration, 'atomic') };

class Overhead extends t.message('node/v1.Overhead', overhead) {}
class Scheduling extends t.message('node/v1.Scheduling', scheduling) {}
class OverheadV1beta1 extends t.message('node/v1beta1.Overhead', overhead) {}
class SchedulingV1beta1 extends t.message('node/v1beta1.Scheduling', scheduling) {}

export class RuntimeClassV1 extends t.message('node/v1.RuntimeClass', {
  handler: t.string(2).required(),
  overhead: t.perhaps(3, Overhead),
  scheduling: t.perhaps(4, Scheduling),
}) {}

/** The same fields under the message names of v1beta1. */
export class RuntimeClassV1beta1 extends t.message('node/v1beta1.RuntimeClass', {
  handler: t.string(2).required(),
  overhead: t.perhaps(3, OverheadV1beta1),
  scheduling: t.perhaps(4, SchedulingV1beta1),
}) {}

class SpecV1alpha1 extends t.message('node/v1alpha1.RuntimeClassSpec', {
  runtimeHandler: t.string(1),
  overhead: t.perhaps(2, Overhead),
  scheduling: t.perhaps(3, Scheduling),
}) {}

export class RuntimeClassV1alpha1 extends t.message('node/v1alpha1.RuntimeClass', { spec: t.one(2, SpecV1alpha1) }) {}

/** Converts v1alpha1 to v1, which has no `spec`. */
export function toV1(object: ApiObject): ApiObject {
  const { spec, ...head } = object as KindObject<RuntimeClassV1alpha1>;
  const { runtimeHandler = '', ...rest } = spec;
  return Object.assign(head, { handler: runtimeHandler }, rest);
}
