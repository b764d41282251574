import { defineKind, type ObjectOf } from '#api';
import { BodyV1, BodyV2, BodyV2beta1, BodyV2beta2 } from './autoscaler-bodies.ts';
import type { MetricSpec } from './metrics.ts';
import { cleanV2, downToV1, downToV2beta1, downToV2beta2, settleAutoscaler, upFromV1, upFromV2beta1, upFromV2beta2 } from './older-versions.ts';
import { targetsOf } from './target-cells.ts';
import { validateAutoscalerSpec, validateAutoscalerStatus } from './validate-autoscaler.ts';

export const HorizontalPodAutoscaler = defineKind(BodyV2, {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  scope: 'Namespaced',
  repeatsMetadataRules: ['change'],
  versions: {
    v2: { schema: BodyV2, up: cleanV2 },
    v1: { schema: BodyV1, up: upFromV1, down: downToV1 },
    v2beta1: { schema: BodyV2beta1, up: upFromV2beta1, down: downToV2beta1, deprecated: { since: '1.22', goneIn: '1.25', use: 'v2' } },
    v2beta2: { schema: BodyV2beta2, up: upFromV2beta2, down: downToV2beta2, deprecated: { since: '1.23', goneIn: '1.26', use: 'v2' } },
  },
  storage: 'v2',
  knownStorage: 'v1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  createOnUpdate: false,
  columns: [
    { name: 'Reference', type: 'string', description: 'What is scaled, by kind and name.', cell: ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}` },
    { name: 'Targets', type: 'string', description: 'What is seen and what is wanted, metric by metric.', cell: ({ spec, status }) => targetsOf(spec.metrics ?? [], status.currentMetrics ?? []) },
    { name: 'MinPods', type: 'string', description: 'The lowest number of replicas it may set.', cell: ({ spec }) => (spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas)) },
    { name: 'MaxPods', type: 'string', description: 'The highest number of replicas it may set.', cell: ({ spec }) => spec.maxReplicas },
    { name: 'Replicas', type: 'string', description: 'How many replicas there were at last sight.', cell: ({ status }) => status.currentReplicas ?? 0 },
  ],
  prepare(next, live, { subresource }) {
    if (subresource === '' && !(live?.spec.metrics ?? []).some(measuresContainers)) dropContainerSources(next.spec.metrics ?? []);
  },
  validate(next, live, at, { subresource, brand }) {
    if (subresource === 'status') validateAutoscalerStatus(next.status, at.child('status'));
    else validateAutoscalerSpec(next.spec, live?.spec, brand, at.child('spec'));
  },
  settle: settleAutoscaler,
});
export type HorizontalPodAutoscaler = ObjectOf<typeof HorizontalPodAutoscaler>;

const measuresContainers = ({ containerResource }: MetricSpec): boolean => containerResource !== undefined;

/** Container metrics are a feature that is off; objects that use it already keep it. */
function dropContainerSources(metrics: readonly MetricSpec[]): void {
  for (const metric of metrics) delete metric.containerResource;
}
