import { inOneMessage } from '#errors';
import type { ApiObject, ObjectKey } from '#api';
import type { LimitRange, PersistentVolumeClaim, Pod } from '#kinds';
import { definePlugin, refuse, type AdmissionRequest } from '../../../plugin.ts';
import { claimFaults, podFaults } from './bounds.ts';
import { fillPod } from './fill-pod.ts';

/**
 * Holds new pods, and claims, to the limit ranges of their namespace, and sets default requests and limits of pods.
 * @spec 4.11
 */
export const limitRanger = definePlugin({
  name: 'LimitRanger',
  enabled: true,
  band: 'builtin',
  after: ['LimitPodHardAntiAffinityTopology'],
  create({ brand, objects }) {
    const ranges = new Ranges();
    const annotation = `${brand.names.domain}/limit-ranger`;
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/pods', '/persistentvolumeclaims'],
      mutate(request) {
        if (!isNewPod(request)) return;
        for (const range of ranges.in(request.namespace)) fillPod(request.object as Pod, range, annotation);
      },
      validate(request) {
        const isPod = request.resource.kind.kind === 'Pod';
        // Resources of pods are immutable, and claims that are being deleted only lose finalizers.
        if (isPod ? request.operation !== 'CREATE' : request.object?.metadata.deletionTimestamp) return;
        for (const range of ranges.in(request.namespace)) {
          const faults = isPod ? podFaults(request.object as Pod, range) : claimFaults(request.object as PersistentVolumeClaim, range);
          if (faults.length > 0) throw refuse(request, inOneMessage(faults));
        }
      },
      start: (signal) => objects.follow({ group: '', kind: 'LimitRange' }, ranges, signal),
    };
  },
});

const isNewPod = ({ resource, operation }: AdmissionRequest): boolean => resource.kind.kind === 'Pod' && operation === 'CREATE';

/** The limit ranges of every namespace, ordered by name. */
class Ranges {
  readonly #byNamespace = new Map<string, Map<string, LimitRange>>();

  in(namespace: string): readonly LimitRange[] {
    const found = this.#byNamespace.get(namespace);
    return found === undefined ? [] : [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, range]) => range);
  }

  put(object: ApiObject): void {
    const { namespace = '', name = '' } = object.metadata;
    const found = this.#byNamespace.get(namespace) ?? new Map<string, LimitRange>();
    this.#byNamespace.set(namespace, found.set(name, object as LimitRange));
  }

  remove({ namespace, name }: ObjectKey): void {
    const found = this.#byNamespace.get(namespace);
    found?.delete(name);
    if (found?.size === 0) this.#byNamespace.delete(namespace);
  }
}
