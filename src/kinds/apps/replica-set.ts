import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { checkAsOften } from '../check-as-often.ts';
import { scalePart } from '../autoscaling/scale.ts';
import { clearFeaturesOff } from '../core/pod/clear-features-off.ts';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import { podWarnings } from '../core/pod/pod-warnings.ts';
import { ReplicaSetSpec, ReplicaSetStatus } from './replica-set-spec.ts';
import { selectorColumn, templateColumns } from './template-columns.ts';
import { validateReplicaSetSpec, validateReplicaSetStatus } from './validate-replica-set.ts';
import { validateSelectorKept } from './workload-rules.ts';

class Body extends t.message('apps/v1.ReplicaSet', {
  spec: t.one(2, ReplicaSetSpec),
  status: t.one(3, ReplicaSetStatus),
}) {}

export const ReplicaSet = defineKind(Body, {
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta2: { schema: Body }, 'extensions/v1beta1': { schema: Body } },
  subresources: {
    scale: scalePart({ group: 'apps', resource: 'replicasets/scale' }),
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'] },
  },
  cascade: 'background',
  createOnUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Desired', type: 'integer', description: 'How many pods are wanted, whatever runs now.', cell: ({ spec }) => spec.replicas ?? 0 },
    { name: 'Current', type: 'integer', description: 'How many pods there are, ready or not.', cell: ({ status }) => status.replicas },
    { name: 'Ready', type: 'integer', description: 'How many of the pods are ready for work.', cell: ({ status }) => status.readyReplicas ?? 0 },
    ...templateColumns(({ template }: ReplicaSetSpec) => template),
    selectorColumn,
  ],
  prepare(next, live, { subresource }) {
    if (subresource === '') clearFeaturesOff(next.spec.template.spec, live?.spec.template.spec);
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') {
      validateReplicaSetStatus(next.status, at.child('status'));
      return;
    }
    checkAsOften(live, () => validateReplicaSetSpec(next.spec, at.child('spec'), podRulesOf(context, live?.spec.template)));
    if (live) validateSelectorKept(next.spec.selector, live.spec.selector, at.child('spec', 'selector'));
  },
  warn(next, live, { brand }) {
    return live && live.metadata.generation === next.metadata.generation ? [] : podWarnings(next.spec.template, 'spec.template', brand);
  },
});
export type ReplicaSet = ObjectOf<typeof ReplicaSet>;
