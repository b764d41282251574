import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';

class Spec extends t.message('coordination/v1.LeaseSpec', {
  holderIdentity: t.maybe.string(1),
  leaseDurationSeconds: t.maybe.int32(2),
  acquireTime: t.maybe.microTime(3),
  renewTime: t.maybe.microTime(4),
  leaseTransitions: t.maybe.int32(5),
}) {}

class Body extends t.message('coordination/v1.Lease', { spec: t.one(2, Spec) }) {}

export const Lease = defineKind(Body, {
  group: 'coordination',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
  takesAnyFinalizer: true,
  repeatsMetadataRules: ['change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body } },
  createOnUpdate: true,
  // Candidates race for a lease: an update without resourceVersion would take it over unseen.
  unconditionalUpdate: false,
  columns: [
    {
      name: 'Holder',
      type: 'string',
      description: 'Who holds the lease now, or held it last.',
      cell: ({ spec }) => spec.holderIdentity ?? '',
    },
  ],
  validate({ spec }, _live, at) {
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = spec;
    if (seconds !== undefined && seconds <= 0) at.child('spec', 'leaseDurationSeconds').invalid(seconds, 'must be greater than 0');
    if (transitions !== undefined && transitions < 0) {
      at.child('spec', 'leaseTransitions').invalid(transitions, 'must to greater or equal than 0');
    }
  },
});
export type Lease = ObjectOf<typeof Lease>;
