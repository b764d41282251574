import { isDeepEqual } from '#base';
import { checkDnsSubdomain, defineKind, LabelSelector, report, validateLabelSelector, validateObjectMeta, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';
import { isNegativeAmount } from '../amounts.ts';
import { goLabelSelector } from '../go-values.ts';

class Body extends t.message('storage/v1beta1.CSIStorageCapacity', {
  nodeTopology: t.perhaps(2, LabelSelector),
  storageClassName: t.string(3).required(),
  capacity: t.maybe.quantity(4),
  maximumVolumeSize: t.maybe.quantity(5),
}) {}

export const CSIStorageCapacity = defineKind(Body, {
  group: 'storage',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1beta1: { schema: Body, itemsMerge: { map: ['name'] } } },
  storage: 'v1beta1',
  retired: { v1alpha1: { schema: Body } },
  createOnUpdate: false,
  unconditionalUpdate: false,
  validate(next, live, at) {
    validateCapacity(next, at);
    if (live === undefined) {
      // kube-apiserver reports every fault of a create twice.
      validateObjectMeta(next.metadata, { scope: 'Namespaced', nameForm: 'dns-subdomain' }, at.child('metadata'));
      validateCapacity(next, at);
      return;
    }
    if (!isDeepEqual(next.nodeTopology, live.nodeTopology)) at.child('nodeTopology').invalid(next.nodeTopology ? goLabelSelector(next.nodeTopology) : null, 'field is immutable');
    if (next.storageClassName !== live.storageClassName) at.child('storageClassName').invalid(next.storageClassName, 'field is immutable');
  },
});
export type CSIStorageCapacity = ObjectOf<typeof CSIStorageCapacity>;

function validateCapacity(next: Body, at: FieldErrors): void {
  validateLabelSelector(next.nodeTopology, at.child('nodeTopology'));
  report(at.child('storageClassName'), next.storageClassName, checkDnsSubdomain(next.storageClassName));
  requireAmount(next.capacity, at.child('capacity'));
}

function requireAmount(amount: string | undefined, at: FieldErrors): void {
  if (amount !== undefined && isNegativeAmount(amount)) at.invalid(amount, 'must be greater than or equal to 0');
}
