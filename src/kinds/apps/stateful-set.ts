import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { scalePart } from '../autoscaling/scale.ts';
import { clearFeaturesOff } from '../core/pod/clear-features-off.ts';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import { podWarnings } from '../core/pod/pod-warnings.ts';
import { StatefulSetSpec, StatefulSetStatus } from './stateful-set-spec.ts';
import { StatefulSetV1Beta1 } from './stateful-set-v1beta1.ts';
import { templateColumns } from './template-columns.ts';
import { validateStatefulSetChange, validateStatefulSetSpec, validateStatefulSetStatus } from './validate-stateful-set.ts';

class Body extends t.message('apps/v1.StatefulSet', {
  spec: t.one(2, StatefulSetSpec),
  status: t.one(3, StatefulSetStatus),
}) {}

export const StatefulSet = defineKind(Body, {
  group: 'apps',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta2: { schema: Body }, v1beta1: { schema: StatefulSetV1Beta1 } },
  subresources: {
    scale: scalePart(),
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'] },
  },
  cascade: 'background',
  createOnUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Ready', type: 'string', description: 'Pods that are ready, of those wanted.', cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}` },
    ...templateColumns(({ template }: StatefulSetSpec) => template),
  ],
  prepare(next, live, { subresource }) {
    if (subresource !== '') return;
    clearFeaturesOff(next.spec.template.spec, live?.spec.template.spec);
    // A feature that is off: only a set that has it already keeps it.
    if (live?.spec.persistentVolumeClaimRetentionPolicy === undefined) delete next.spec.persistentVolumeClaimRetentionPolicy;
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') {
      if (live) validateStatefulSetStatus(next.status, live.status, at.child('status'));
      return;
    }
    validateStatefulSetSpec(next.spec, at.child('spec'), podRulesOf(context, live?.spec.template));
    if (live) validateStatefulSetChange(next.spec, live.spec, at.child('spec'));
  },
  warn(next, live, { brand }) {
    return live && live.metadata.generation === next.metadata.generation ? [] : podWarnings(next.spec.template, 'spec.template', brand);
  },
});
export type StatefulSet = ObjectOf<typeof StatefulSet>;
