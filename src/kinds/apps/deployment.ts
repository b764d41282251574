import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { scalePart } from '../autoscaling/scale.ts';
import { clearFeaturesOff } from '../core/pod/clear-features-off.ts';
import { podRulesOf } from '../core/pod/pod-rules.ts';
import { podWarnings } from '../core/pod/pod-warnings.ts';
import { DeploymentSpec, DeploymentStatus } from './deployment-spec.ts';
import { DeploymentOfApps, DeploymentOfExtensions, toV1 } from './deployment-v1beta1.ts';
import { keepRollback, showRollback, validateRollback } from './rollback-annotation.ts';
import { selectorColumn, templateColumns } from './template-columns.ts';
import { validateDeploymentSpec, validateDeploymentStatus } from './validate-deployment.ts';
import { validateSelectorKept } from './workload-rules.ts';

class Body extends t.message('apps/v1.Deployment', {
  spec: t.one(2, DeploymentSpec),
  status: t.one(3, DeploymentStatus),
}) {}

export const Deployment = defineKind(Body, {
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['change'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta2: { schema: Body }, v1beta1: { schema: DeploymentOfApps, up: toV1 }, 'extensions/v1beta1': { schema: DeploymentOfExtensions, up: toV1 } },
  subresources: {
    scale: scalePart({ group: 'apps', resource: 'deployments/scale' }),
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['metadata.labels'] },
  },
  cascade: 'background',
  createOnUpdate: false,
  generation: ['spec', 'metadata.annotations'],
  hiddenAnnotations: ['rollbackAnnotation'],
  columns: [
    {
      name: 'Ready',
      type: 'string',
      description: 'Pods that are ready, of those wanted.',
      cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    },
    {
      name: 'Up-to-date',
      type: 'string',
      description: 'Pods made from the current template.',
      cell: ({ status }) => status.updatedReplicas ?? 0,
    },
    {
      name: 'Available',
      type: 'string',
      description: 'Pods that have been ready for long enough.',
      cell: ({ status }) => status.availableReplicas ?? 0,
    },
    ...templateColumns(({ template }: DeploymentSpec) => template),
    selectorColumn,
  ],
  complete: showRollback,
  prepare(next, live, { subresource, brand }) {
    if (subresource === '') {
      clearFeaturesOff(next.spec.template.spec, live?.spec.template.spec);
      return;
    }
    keepRollback(next, live, brand);
    if (live?.metadata.labels === undefined) delete next.metadata.labels;
    else next.metadata.labels = live.metadata.labels;
  },
  validate(next, live, at, context) {
    if (context.subresource === 'status') {
      validateDeploymentStatus(next.status, live?.status ?? {}, at.child('status'));
      return;
    }
    validateDeploymentSpec(next.spec, at.child('spec'), podRulesOf(context, live?.spec.template));
    validateRollback(next, at.child('spec', 'rollback'), context.brand);
    if (live) validateSelectorKept(next.spec.selector, live.spec.selector, at.child('spec', 'selector'));
  },
  warn(next, live, { brand }) {
    return live && live.metadata.generation === next.metadata.generation ? [] : podWarnings(next.spec.template, 'spec.template', brand);
  },
});
export type Deployment = ObjectOf<typeof Deployment>;
