import { defineKind, formatSelectorMessage, type ObjectOf } from '#api';
import { t } from '#schema';
import { checkAsOften } from '../check-as-often.ts';
import { validateNetworkPolicySpec } from './network-policy-rules.ts';
import { NetworkPolicySpec } from './network-policy-spec.ts';

class Body extends t.message('networking/v1.NetworkPolicy', { spec: t.one(2, NetworkPolicySpec) }) {}

/** @spec 2.9 */
export const NetworkPolicy = defineKind(Body, {
  group: 'networking',
  errorGroup: 'extensions',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { 'extensions/v1beta1': { schema: Body } },
  generation: ['spec'],
  columns: [
    {
      name: 'Pod-Selector',
      type: 'string',
      description: 'Selects the pods to which the policy applies; none means all.',
      cell: ({ spec }) => formatSelectorMessage(spec.podSelector),
    },
  ],
  validate({ spec }, live, at) {
    checkAsOften(live, () => validateNetworkPolicySpec(spec, at.child('spec')));
  },
});
export type NetworkPolicy = ObjectOf<typeof NetworkPolicy>;
