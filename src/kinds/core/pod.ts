import { cloneJson, exactNumber } from '#base';
import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { Eviction } from '../policy/eviction.ts';
import { BindingBody } from './binding.ts';
import { clearFeaturesOff } from './pod/clear-features-off.ts';
import { PodAttachOptions, PodExecOptions, PodLogOptions, PodPortForwardOptions, PodProxyOptions, PROXY_VERBS } from './connect-options.ts';
import { dropOldAnnotations } from './pod/drop-old-annotations.ts';
import { fillPodOnly } from './pod/fill-pod-spec.ts';
import { endOf, POD_COLUMNS } from './pod/pod-columns.ts';
import { podRulesOf } from './pod/pod-rules.ts';
import { PodSpec } from './pod/pod-spec.ts';
import { PodStatus } from './pod/pod-status.ts';
import { podWarnings } from './pod/pod-warnings.ts';
import { qosClassOf } from './pod/qos-class.ts';
import { syncSeccomp } from './pod/sync-seccomp.ts';
import { validateDebugContainersKept } from './pod/validate-debug-containers.ts';
import { validateAnnotationsKept, validatePod, validatePodAlone } from './pod/validate-pod.ts';
import { validateConditions, validatePodStatus } from './pod/validate-pod-status.ts';

class Body extends t.message(
  'core/v1.Pod',
  { spec: t.one(2, PodSpec), status: t.one(3, PodStatus) },
  {
    defaults(pod) {
      dropOldAnnotations(pod);
      fillPodOnly(pod.spec);
    },
  },
) {}

export const Pod = defineKind(Body, {
  group: '',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  scope: 'Namespaced',
  deleteShowsObject: true,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: {
    attach: { verbs: ['create', 'get'], carries: { group: '', version: 'v1', kind: 'PodAttachOptions' }, query: PodAttachOptions, connects: 'attach' },
    binding: { verbs: ['create'], carries: { group: '', version: 'v1', kind: 'Binding', schema: BindingBody }, action: 'binding' },
    eviction: { verbs: ['create'], carries: { group: 'policy', version: 'v1', kind: 'Eviction', schema: Eviction, alsoVersions: ['v1beta1'] }, action: 'eviction' },
    ephemeralcontainers: { verbs: ['get', 'patch', 'update'] },
    exec: { verbs: ['create', 'get'], carries: { group: '', version: 'v1', kind: 'PodExecOptions' }, query: PodExecOptions, connects: 'exec' },
    log: { verbs: ['get'], query: PodLogOptions, connects: 'log' },
    portforward: { verbs: ['create', 'get'], carries: { group: '', version: 'v1', kind: 'PodPortForwardOptions' }, query: PodPortForwardOptions, connects: 'portforward' },
    proxy: { verbs: PROXY_VERBS, carries: { group: '', version: 'v1', kind: 'PodProxyOptions' }, query: PodProxyOptions, connects: 'proxy' },
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'], unowned: ['metadata.deletionTimestamp', 'metadata.ownerReferences'] },
  },
  columns: POD_COLUMNS,
  ended: ({ status }) => endOf(status),
  prepare(next, live, { brand, subresource }) {
    if (live === undefined) {
      next.status = { phase: 'Pending', qosClass: qosClassOf(next.spec) };
      clearFeaturesOff(next.spec);
      syncSeccomp(next, brand);
    } else if (subresource === 'ephemeralcontainers') {
      keepAllButDebugContainers(next, live);
    } else if (subresource === 'status') {
      // Kubelets of old versions drop these from status updates.
      if (live.metadata.ownerReferences === undefined) delete next.metadata.ownerReferences;
      else next.metadata.ownerReferences = live.metadata.ownerReferences;
      if (!live.metadata.deletionTimestamp) delete next.metadata.deletionTimestamp;
    } else clearFeaturesOff(next.spec, live.spec);
  },
  validate(next, live, at, context) {
    const rules = podRulesOf(context, live);
    if (live === undefined || context.subresource === '') {
      validatePod(next, live, at, rules);
    } else if (context.subresource === 'status') {
      validateAnnotationsKept(next, live, at, rules);
      validateConditions(next.status.conditions ?? [], at.child('metadata'));
      validatePodStatus(next.status, live.status, live.spec.restartPolicy, at.child('status'));
    } else {
      validatePodAlone(next, at, rules);
      validateAnnotationsKept(next, live, at, rules);
      validateDebugContainersKept(next.spec, live.spec, at.child('spec', 'ephemeralContainers'));
    }
  },
  // Only on create: later writes come from controllers and nodes, which ignore warnings.
  warn: (next, live, { brand }) => (live === undefined ? podWarnings(next, '', brand) : []),
  grace({ spec, status }, asked) {
    const isNowhere = !spec.nodeName || status.phase === 'Failed' || status.phase === 'Succeeded';
    const seconds = isNowhere ? 0 : (asked ?? exactNumber(spec.terminationGracePeriodSeconds ?? 0));
    return seconds < 0 ? 1 : seconds;
  },
  formerFields: new Map([['spec.host', 'spec.nodeName']]),
  select: ({ spec, status }) => ({
    'spec.nodeName': spec.nodeName ?? '',
    'spec.restartPolicy': spec.restartPolicy ?? '',
    'spec.schedulerName': spec.schedulerName ?? '',
    'spec.serviceAccountName': spec.serviceAccountName ?? '',
    'status.phase': status.phase ?? '',
    'status.podIP': status.podIP ?? '',
    // A known field label that is never set.
    'status.podIPs': '',
    'status.nominatedNodeName': status.nominatedNodeName ?? '',
  }),
});
export type Pod = ObjectOf<typeof Pod>;

function keepAllButDebugContainers(next: Pod, live: Pod): void {
  const { ephemeralContainers } = next.spec;
  const { uid, resourceVersion } = next.metadata;
  next.metadata = cloneJson(live.metadata);
  if (uid !== undefined) next.metadata.uid = uid;
  if (resourceVersion !== undefined) next.metadata.resourceVersion = resourceVersion;
  next.spec = cloneJson(live.spec);
  if (ephemeralContainers === undefined) delete next.spec.ephemeralContainers;
  else next.spec.ephemeralContainers = ephemeralContainers;
  next.status = cloneJson(live.status);
  clearFeaturesOff(next.spec, live.spec);
}
