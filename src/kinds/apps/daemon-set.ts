import { defineKind, formatLabels, type ObjectOf } from '#api';
import { isSameMeaning, t } from '#schema';
import { checkAsOften } from '../check-as-often.ts';
import { clearFeaturesOff } from '../core/pod/clear-features-off.ts';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import { PodTemplateSpec } from '../core/pod/pod-template.ts';
import { podWarnings } from '../core/pod/pod-warnings.ts';
import { DaemonSetSpec, DaemonSetStatus } from './daemon-set-spec.ts';
import { DaemonSetV1Beta1, toV1 } from './daemon-set-v1beta1.ts';
import { selectorColumn, templateColumns } from './template-columns.ts';
import { isSameTemplateGeneration, setTemplateGeneration, showTemplateGeneration } from './template-generation.ts';
import { validateDaemonSetSpec, validateDaemonSetStatus } from './validate-daemon-set.ts';
import { validateSelectorKept } from './workload-rules.ts';

/** @spec 2.10 */
class Body extends t.message('apps/v1.DaemonSet', {
  spec: t.one(2, DaemonSetSpec),
  status: t.one(3, DaemonSetStatus),
}) {}

export const DaemonSet = defineKind(Body, {
  group: 'apps',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta2: { schema: Body }, 'extensions/v1beta1': { schema: DaemonSetV1Beta1, up: toV1 } },
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  cascade: 'background',
  createOnUpdate: false,
  generation: ['spec'],
  hiddenAnnotations: ['templateGenerationAnnotation'],
  columns: [
    {
      name: 'Desired',
      type: 'integer',
      description: 'How many nodes should run the pod.',
      cell: ({ status }) => status.desiredNumberScheduled,
    },
    {
      name: 'Current',
      type: 'integer',
      description: 'How many nodes run the pod and should.',
      cell: ({ status }) => status.currentNumberScheduled,
    },
    { name: 'Ready', type: 'integer', description: 'Nodes with a pod that is ready.', cell: ({ status }) => status.numberReady },
    {
      name: 'Up-to-date',
      type: 'integer',
      description: 'Nodes with a pod made from the current template.',
      cell: ({ status }) => status.updatedNumberScheduled ?? 0,
    },
    {
      name: 'Available',
      type: 'integer',
      description: 'Nodes with a pod that has been ready for long enough.',
      cell: ({ status }) => status.numberAvailable ?? 0,
    },
    {
      name: 'Node Selector',
      type: 'string',
      description: 'Labels of the nodes that should run the pod.',
      cell: ({ spec }) => formatLabels(spec.template.spec.nodeSelector),
    },
    ...templateColumns(({ template }: DaemonSetSpec) => template),
    selectorColumn,
  ],
  complete(object, brand) {
    showTemplateGeneration(object, brand);
  },
  prepare(next, live, { brand, subresource }) {
    if (subresource === '') clearFeaturesOff(next.spec.template.spec, live?.spec.template.spec);
    setTemplateGeneration(next, live, isSameMeaning(PodTemplateSpec, next.spec.template, live?.spec.template), brand);
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') {
      if (live) validateDaemonSetStatus(next.status, live.status, at.child('status'));
      return;
    }
    checkAsOften(live, () => validateDaemonSetSpec(next.spec, at.child('spec'), podRulesOf(context, live?.spec.template)));
    if (live) validateSelectorKept(next.spec.selector, live.spec.selector, at.child('spec', 'selector'));
  },
  warn(next, live, { brand }) {
    return live && isSameTemplateGeneration(next, live, brand) ? [] : podWarnings(next.spec.template, 'spec.template', brand);
  },
});
export type DaemonSet = ObjectOf<typeof DaemonSet>;
