import { isJsonObject, type JsonObject } from '#base';
import type { ApiObject, KindDefinition } from '#api';

/** Fields that exist only with a feature gate, by neutral group and kind; `*` is each element of a list. */
interface GatedFields {
  readonly feature: string;
  readonly group: string;
  readonly kind: string;
  readonly paths: readonly string[];
}

const GATED: readonly GatedFields[] = [
  { feature: 'DaemonSetUpdateSurge', group: 'apps', kind: 'DaemonSet', paths: ['spec.updateStrategy.rollingUpdate.maxSurge'] },
  { feature: 'NetworkPolicyEndPort', group: 'networking', kind: 'NetworkPolicy', paths: ['spec.ingress.*.ports.*.endPort', 'spec.egress.*.ports.*.endPort'] },
  { feature: 'NonPreemptingPriority', group: 'scheduling', kind: 'PriorityClass', paths: ['preemptionPolicy'] },
  { feature: 'NonPreemptingPriority', group: '', kind: 'Pod', paths: ['spec.preemptionPolicy'] },
];

/**
 * The kinds without the fields of disabled features: new objects lose them, and updates cannot add them. An object stored with such a field before
 * the feature was disabled may keep it. `features`: enabled or not by name; absent features are enabled.
 * @spec 2.9 2.10 2.11 9
 */
export function withoutGatedFields(kinds: readonly KindDefinition[], features: ReadonlyMap<string, boolean>): readonly KindDefinition[] {
  const off = GATED.filter(({ feature }) => features.get(feature) === false);
  if (off.length === 0) return kinds;
  return kinds.map((definition) => {
    const paths = off.filter(({ group, kind }) => group === definition.group && kind === definition.kind).flatMap((one) => one.paths.map((path) => path.split('.')));
    return paths.length === 0 ? definition : withoutPaths(definition, paths);
  });
}

function withoutPaths(definition: KindDefinition, paths: readonly (readonly string[])[]): KindDefinition {
  return {
    ...definition,
    prepare(next, live, context) {
      definition.prepare?.(next, live, context);
      if (live !== undefined && paths.some((path) => holdersOf(live, path).length > 0)) return;
      for (const path of paths) for (const holder of holdersOf(next, path)) delete holder[path.at(-1) ?? ''];
    },
  };
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
