import { stringScalar, t } from '#schema';

/** @spec 2.2 */
export class OwnerReference extends t.message(
  'apis/meta/v1.OwnerReference',
  {
    apiVersion: t.string(5).required(),
    kind: t.string(1).required(),
    name: t.string(3).required(),
    uid: t.string(4).required(),
    controller: t.maybe.bool(6),
    blockOwnerDeletion: t.maybe.bool(7),
  },
  { isAtomic: true },
) {}

/** @spec 2.2 */
export class ManagedFieldsEntry extends t.message('apis/meta/v1.ManagedFieldsEntry', {
  manager: t.string(1),
  operation: t.string(2),
  apiVersion: t.string(3),
  time: t.maybe.time(4),
  fieldsType: t.string(6),
  fieldsV1: t.fieldsV1(7),
  subresource: t.string(8),
}) {}

/** @spec 2.2 */
export class ObjectMeta extends t.message('apis/meta/v1.ObjectMeta', {
  name: t.string(1),
  generateName: t.string(2),
  namespace: t.string(3),
  selfLink: t.string(4),
  uid: t.string(5),
  resourceVersion: t.string(6),
  generation: t.int64(7),
  creationTimestamp: t.time(8),
  deletionTimestamp: t.maybe.time(9),
  deletionGracePeriodSeconds: t.maybe.int64(10),
  labels: t.map(11, stringScalar),
  annotations: t.map(12, stringScalar),
  ownerReferences: t.many(13, OwnerReference).mergeBy('uid'),
  finalizers: t.strings(14).mergeBy(),
  clusterName: t.string(15),
  managedFields: t.many(17, ManagedFieldsEntry),
}) {}

/** @spec 2.3 */
export class ListMeta extends t.message('apis/meta/v1.ListMeta', {
  selfLink: t.string(1),
  resourceVersion: t.string(2),
  continue: t.string(3),
  remainingItemCount: t.maybe.int64(4),
}) {}
