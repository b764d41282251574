import { isDeepEqual } from '#base';
import { compileSelectorMessage, defineKind, formatLabels, type Brand, type ObjectMeta, type ObjectOf } from '#api';
import { goTextMap, type FieldErrors } from '#errors';
import { stringScalar, t } from '#schema';
import { checkAsOften } from '../check-as-often.ts';
import { scalePart } from '../autoscaling/scale.ts';
import { validateNotMoreThan } from '../apps/part-counts.ts';
import { validateCounters } from '../apps/status-rules.ts';
import { templateColumns } from '../apps/template-columns.ts';
import { validateLongRunningTemplate } from '../apps/workload-rules.ts';
import { clearFeaturesOff } from './pod/clear-features-off.ts';
import { podRulesOf, type PodRules } from './pod/pod-rules.ts';
import { PodTemplateSpec } from './pod/pod-template.ts';
import { podWarnings } from './pod/pod-warnings.ts';
import { requireNotNegative } from '../value-checks.ts';

class Spec extends t.message(
  'core/v1.ReplicationControllerSpec',
  {
    replicas: t.maybe.int32(1).default(1),
    minReadySeconds: t.int32(4),
    selector: t.map(2, stringScalar).atomicMap(),
    template: t.perhaps(3, PodTemplateSpec),
  },
  {
    /** The selector defaults to the labels of the template. */
    defaults(spec) {
      const labels = spec.template?.metadata.labels;
      if (Object.keys(spec.selector ?? {}).length === 0 && labels !== undefined) spec.selector = { ...labels };
    },
  },
) {}

class Condition extends t.message('core/v1.ReplicationControllerCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastTransitionTime: t.time(3),
  reason: t.string(4),
  message: t.string(5),
}) {}

class Status extends t.message('core/v1.ReplicationControllerStatus', {
  replicas: t.int32(1).required(),
  fullyLabeledReplicas: t.int32(2),
  readyReplicas: t.int32(4),
  availableReplicas: t.int32(5),
  observedGeneration: t.int64(3),
  conditions: t.many(6, Condition).mergeBy('type'),
}) {}

class Body extends t.message('core/v1.ReplicationController', { spec: t.one(2, Spec), status: t.one(3, Status) }) {}

export const ReplicationController = defineKind(Body, {
  group: '',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: {
    scale: scalePart({ group: 'autoscaling', resource: 'replicationcontrollers/scale' }),
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'] },
  },
  cascade: 'orphan',
  createOnUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Desired', type: 'integer', description: 'How many pods there should be in all.', cell: ({ spec }) => spec.replicas ?? 0 },
    { name: 'Current', type: 'integer', description: 'How many pods there are at the moment.', cell: ({ status }) => status.replicas },
    { name: 'Ready', type: 'integer', description: 'How many pods are ready for their work.', cell: ({ status }) => status.readyReplicas ?? 0 },
    ...templateColumns(({ template }: Spec) => template),
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels of the pods that belong here.', cell: ({ spec }) => formatLabels(spec.selector) },
  ],
  select: ({ status }) => ({ 'status.replicas': String(status.replicas) }),
  complete: labelLikePods,
  prepare(next, live, { subresource }) {
    // A status update may omit the template, and does not remove labels that were defaulted from it.
    if (subresource !== '') labelLikePods(next);
    else if (next.spec.template !== undefined) clearFeaturesOff(next.spec.template.spec, live?.spec.template?.spec);
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') {
      validateStatus(next.status, at.child('status'));
      return;
    }
    checkAsOften(live, () => validateSpec(next.spec, at.child('spec'), podRulesOf(context, live?.spec.template)));
    if (live !== undefined) validateConvertible(next.spec, live, at, context.brand);
  },
  warn(next, live, { brand }) {
    if (live === undefined) return next.spec.template === undefined ? [] : podWarnings(next.spec.template, 'template', brand);
    // On an update kube-apiserver warns about the previous template.
    if (live.spec.template === undefined || live.metadata.generation === next.metadata.generation) return [];
    return podWarnings(live.spec.template, 'spec.template', brand);
  },
});
export type ReplicationController = ObjectOf<typeof ReplicationController>;

function validateSpec(spec: Spec, at: FieldErrors, rules: PodRules): void {
  requireNotNegative(spec.minReadySeconds, at.child('minReadySeconds'));
  if (Object.keys(spec.selector ?? {}).length === 0) at.child('selector').required();
  requireNotNegative(spec.replicas, at.child('replicas'));
  const here = at.child('template');
  if (spec.template === undefined) {
    here.required();
    return;
  }
  if (!compileSelectorMessage({ matchLabels: spec.selector ?? {} })(spec.template.metadata.labels)) {
    here.child('metadata', 'labels').invalid(goTextMap(spec.template.metadata.labels), '`selector` does not match template `labels`');
  }
  validateLongRunningTemplate(spec.template, { owner: 'ReplicationController', isReplicated: (spec.replicas ?? 0) > 1 }, here, rules);
}

/** Checks fields that newer versions cannot express: annotations of the stored object name them, and they are immutable. */
function validateConvertible(next: Spec, live: { readonly metadata: ObjectMeta; readonly spec: Spec }, at: FieldErrors, { names }: Brand): void {
  const prefix = `non-convertible.${names.domain}`;
  for (const [key, value] of Object.entries(live.metadata.annotations ?? {})) {
    const [, path, ...others] = key.startsWith(prefix) ? key.split('/') : [];
    if (path === undefined || others.length > 0) continue;
    if (!path.includes('selector')) at.child(path).notFound(value, 'unknown non-convertible field');
    else if (!isDeepEqual(next.selector ?? {}, live.spec.selector ?? {})) at.child('spec', 'selector').invalid(next.selector, 'cannot update non-convertible selector');
  }
}

const COUNTERS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'] as const;
const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

function validateStatus(status: Status, at: FieldErrors): void {
  validateCounters(status, COUNTERS, at);
  validateNotMoreThan(status, PARTS, 'replicas', at);
  validateNotMoreThan(status, ['availableReplicas'], 'readyReplicas', at, 'readyReplicas');
}

interface Labelled {
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
}

function labelLikePods({ metadata, spec }: Labelled): void {
  const labels = spec.template?.metadata.labels;
  if (Object.keys(metadata.labels ?? {}).length === 0 && labels !== undefined) metadata.labels = { ...labels };
}
