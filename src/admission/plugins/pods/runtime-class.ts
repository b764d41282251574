import { cloneJson } from '#base';
import { withoutReason } from '#errors';
import { checkPathSegment } from '#api';
import { isSameByType, quantityScalar } from '#schema';
import { mergeTolerations, type Pod, type RuntimeClass } from '#kinds';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';

const NOT_THE_SAME = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/**
 * Sets the overhead of the pod's runtime class, and restricts the pod to the nodes that support the class.
 * @spec 4.11
 */
export const runtimeClass = definePlugin({
  name: 'RuntimeClass',
  enabled: true,
  band: 'builtin',
  after: ['PersistentVolumeClaimResize'],
  create: (env) => ({
    on: ['CREATE'],
    kinds: ['/pods'],
    async mutate(request) {
      const found = await findClass(env, request);
      if (found === undefined) return;
      setOverhead(request, found);
      setScheduling(request, found);
    },
    async validate(request) {
      const wanted = (await findClass(env, request))?.overhead;
      const { overhead } = (request.object as Pod).spec;
      if (isSameOverhead(overhead ?? {}, wanted?.podFixed ?? {})) return;
      throw refuse(request, wanted === undefined ? 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead' : NOT_THE_SAME);
    },
  }),
});

async function findClass({ objects }: AdmissionEnv, request: AdmissionRequest): Promise<RuntimeClass | undefined> {
  const { runtimeClassName: name } = (request.object as Pod).spec;
  if (name === undefined) return undefined;
  if (name === '') throw withoutReason('resource name may not be empty');
  const faults = checkPathSegment(name);
  if (faults !== undefined) throw withoutReason(`invalid resource name ${JSON.stringify(name)}: [${faults.join(' ')}]`);
  const found = await objects.get({ group: 'node', kind: 'RuntimeClass' }, { namespace: '', name });
  if (found === undefined) throw refuse(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found as RuntimeClass;
}

function setOverhead(request: AdmissionRequest, { overhead }: RuntimeClass): void {
  const { spec } = request.object as Pod;
  if (overhead?.podFixed === undefined) return;
  if (spec.overhead !== undefined && !isSameOverhead(spec.overhead, overhead.podFixed)) throw refuse(request, NOT_THE_SAME);
  spec.overhead = { ...overhead.podFixed };
}

/** Amounts may be written differently, as 1Gi and 1073741824. */
const isSameOverhead = (one: object, other: object): boolean => isSameByType({ is: 'map', of: { is: 'scalar', scalar: quantityScalar } }, one, other);

function setScheduling(request: AdmissionRequest, { scheduling }: RuntimeClass): void {
  if (scheduling === undefined) return;
  const { spec } = request.object as Pod;
  const wanted = Object.entries(scheduling.nodeSelector ?? {});
  const said = new Map(Object.entries(spec.nodeSelector ?? {}));
  for (const [label, value] of wanted) {
    const own = said.get(label);
    if (own === undefined || own === value) said.set(label, value);
    else throw refuse(request, `conflict: runtimeClass.scheduling.nodeSelector[${label}] = ${value}; pod.spec.nodeSelector[${label}] = ${own}`);
  }
  if (wanted.length > 0) spec.nodeSelector = Object.fromEntries(said);
  // Also where the class has none: those of the pod that others of it cover go.
  const tolerations = mergeTolerations(spec.tolerations ?? [], cloneJson(scheduling.tolerations ?? []));
  if (tolerations.length > 0) spec.tolerations = tolerations;
}
