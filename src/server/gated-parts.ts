import { isJsonObject, type JsonObject } from '#base';
import type { ApiObject, KindDefinition } from '#api';
import { POD_PLACES } from '#kinds';

/** What exists only with a feature gate: fields, where `*` is each element of a list, and subresources. */
interface GatedParts {
  readonly feature: string;
  /** Those of kinds, by neutral group and kind. */
  readonly kinds?: Readonly<Record<string, readonly string[]>>;
  /** Those of pods and of templates of pods, below their `spec`. */
  readonly pods?: readonly string[];
  /** By neutral group and kind. */
  readonly subresources?: Readonly<Record<string, readonly string[]>>;
}

const TERMS = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => [
  `affinity.${kind}.requiredDuringSchedulingIgnoredDuringExecution.*`,
  `affinity.${kind}.preferredDuringSchedulingIgnoredDuringExecution.*.podAffinityTerm`,
]);

const GATED: readonly GatedParts[] = [
  { feature: 'CSIInlineVolume', kinds: { 'storage/CSIDriver': ['spec.volumeLifecycleModes'] }, pods: ['volumes.*.csi'] },
  { feature: 'CSIStorageCapacity', kinds: { 'storage/CSIDriver': ['spec.storageCapacity'] } },
  { feature: 'CSRDuration', kinds: { 'certificates/CertificateSigningRequest': ['spec.expirationSeconds'] } },
  { feature: 'DaemonSetUpdateSurge', kinds: { 'apps/DaemonSet': ['spec.updateStrategy.rollingUpdate.maxSurge'] } },
  { feature: 'EndpointSliceTerminatingCondition', kinds: { 'discovery/EndpointSlice': ['endpoints.*.conditions.serving', 'endpoints.*.conditions.terminating'] } },
  { feature: 'EphemeralContainers', pods: ['ephemeralContainers'], subresources: { '/Pod': ['ephemeralcontainers'] } },
  { feature: 'IndexedJob', kinds: { 'batch/Job': ['spec.completionMode'] } },
  { feature: 'NetworkPolicyEndPort', kinds: { 'networking/NetworkPolicy': ['spec.ingress.*.ports.*.endPort', 'spec.egress.*.ports.*.endPort'] } },
  { feature: 'NonPreemptingPriority', kinds: { 'scheduling/PriorityClass': ['preemptionPolicy'] }, pods: ['preemptionPolicy'] },
  { feature: 'PodAffinityNamespaceSelector', pods: TERMS.map((term) => `${term}.namespaceSelector`) },
  { feature: 'PodOverhead', kinds: { 'node/RuntimeClass': ['overhead'] }, pods: ['overhead'] },
  { feature: 'ServiceLoadBalancerClass', kinds: { '/Service': ['spec.loadBalancerClass'] } },
  { feature: 'SuspendJob', kinds: { 'batch/Job': ['spec.suspend'] } },
];

/**
 * The kinds without the parts of disabled features: subresources are not served, new objects lose the fields, and updates cannot add them. An object
 * stored with such a field before the feature was disabled may keep it. `features`: enabled or not by name; absent features are enabled.
 * @spec 2.9 2.10 2.11 9
 */
export function withoutGatedParts(kinds: readonly KindDefinition[], features: ReadonlyMap<string, boolean>): readonly KindDefinition[] {
  const off = GATED.filter(({ feature }) => features.get(feature) === false);
  if (off.length === 0) return kinds;
  return kinds.map((definition) => {
    const key = `${definition.group}/${definition.kind}`;
    const place = POD_PLACES[`${definition.group}/${definition.plural}`];
    const ofPods = (paths: readonly string[] = []): readonly string[] => (place === undefined ? [] : paths.map((path) => [...place, 'spec', path].join('.')));
    return off.reduce((rest, one) => withoutSubresources(withoutPaths(rest, [...(one.kinds?.[key] ?? []), ...ofPods(one.pods)]), one.subresources?.[key]), definition);
  });
}

/** The kind without fields of one feature. */
function withoutPaths(definition: KindDefinition, texts: readonly string[]): KindDefinition {
  if (texts.length === 0) return definition;
  const paths = texts.map((path) => path.split('.'));
  return {
    ...definition,
    prepare(next, live, context) {
      definition.prepare?.(next, live, context);
      if (live !== undefined && paths.some((path) => holdersOf(live, path).length > 0)) return;
      for (const path of paths) for (const holder of holdersOf(next, path)) delete holder[path.at(-1) ?? ''];
    },
  };
}

function withoutSubresources(definition: KindDefinition, names: readonly string[] = []): KindDefinition {
  if (names.length === 0) return definition;
  return { ...definition, subresources: Object.fromEntries(Object.entries(definition.subresources ?? {}).filter(([name]) => !names.includes(name))) };
}

/** What has the last member of the path. */
function holdersOf(object: ApiObject, path: readonly string[]): readonly JsonObject[] {
  let places: readonly unknown[] = [object];
  for (const step of path.slice(0, -1)) {
    places = places.flatMap((place): readonly unknown[] => {
      if (step === '*') return Array.isArray(place) ? place : [];
      return isJsonObject(place) ? [place[step]] : [];
    });
  }
  return places.filter((place): place is JsonObject => isJsonObject(place) && place[path.at(-1) ?? ''] !== undefined);
}
