import { when } from '#base';
import { inOneMessage } from '#errors';
import type { LimitRange, PersistentVolumeClaim, Pod } from '#kinds';
import { NamespacedObjects } from '../../../namespaced-objects.ts';
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
  create(env) {
    const ranges = new NamespacedObjects<LimitRange>({ group: '', kind: 'LimitRange' }, env);
    const annotation = `${env.brand.names.domain}/limit-ranger`;
    const fill = (request: AdmissionRequest): void => {
      for (const range of ranges.in(request.namespace)) fillPod(request.object as Pod, range, annotation);
    };
    const check = (request: AdmissionRequest): void => {
      const isPod = isOfPods(request);
      for (const range of ranges.in(request.namespace)) {
        const faults = isPod ? podFaults(request.object as Pod, range) : claimFaults(request.object as PersistentVolumeClaim, range);
        if (faults.length > 0) throw refuse(request, inOneMessage(faults));
      }
    };
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/pods', '/persistentvolumeclaims'],
      mutate: (request) => (isOfPods(request) && request.operation === 'CREATE' ? when(ranges.look(request.namespace), () => fill(request)) : undefined),
      validate(request) {
        // Resources of pods are immutable, and claims that are being deleted only lose finalizers.
        if (isOfPods(request) ? request.operation !== 'CREATE' : request.object?.metadata.deletionTimestamp) return;
        return when(ranges.look(request.namespace), () => check(request));
      },
      start: (signal) => ranges.start(signal),
    };
  },
});

const isOfPods = ({ resource }: AdmissionRequest): boolean => resource.kind.kind === 'Pod';
