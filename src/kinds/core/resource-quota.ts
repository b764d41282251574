import { defineKind, formatAge, type ObjectOf } from '#api';
import { quantityScalar, t } from '#schema';
import { podRulesOf } from './pod/pod-rules.ts';
import { roundUpAmounts } from './pod/resources.ts';
import { ResourceQuotaSpec } from './resource-quota-spec.ts';
import { validateQuotaAmounts, validateQuotaScopes, validateScopesKept } from './validate-resource-quota.ts';

class Status extends t.message(
  'core/v1.ResourceQuotaStatus',
  {
    hard: t.map(1, quantityScalar),
    used: t.map(2, quantityScalar),
  },
  {
    defaults({ hard, used }) {
      roundUpAmounts(hard);
      roundUpAmounts(used);
    },
  },
) {}

class Body extends t.message('core/v1.ResourceQuota', { spec: t.one(2, ResourceQuotaSpec), status: t.one(3, Status) }) {}

export const ResourceQuota = defineKind(Body, {
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  createOnUpdate: false,
  deleteShowsObject: true,
  columns: [
    { name: 'Age', type: 'string', description: 'How long ago the object was created, by the clock of the server.', cell: ({ metadata }, nowMs) => formatAge(metadata.creationTimestamp, nowMs) },
    { name: 'Request', type: 'string', description: 'What is asked for now, of what may be asked for at most.', cell: ({ status }) => usage(status, false) },
    { name: 'Limit', type: 'string', description: 'How high limits are together now, of how high they may be.', cell: ({ status }) => usage(status, true) },
  ],
  validate(next, live, at, context) {
    const rules = podRulesOf(context);
    if (context.subresource === 'status') {
      validateQuotaAmounts(next.status.hard ?? {}, at.child('status', 'hard'), rules);
      validateQuotaAmounts(next.status.used ?? {}, at.child('status', 'used'), rules);
      return;
    }
    validateQuotaAmounts(next.spec.hard ?? {}, at.child('spec', 'hard'), rules);
    validateQuotaScopes(next.spec, at.child('spec'));
    if (live !== undefined) validateScopesKept(next.spec, live.spec, at.child('spec', 'scopes'));
  },
});
export type ResourceQuota = ObjectOf<typeof ResourceQuota>;

function usage({ hard = {}, used = {} }: Status, ofLimits: boolean): string {
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === ofLimits)
    .sort()
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`)
    .join(', ');
}
