import type { ApiObject } from '#api';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';

interface PriorityClass extends ApiObject {
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

interface PodSpec {
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

const PRIORITY_CLASS = { group: 'scheduling', kind: 'PriorityClass' };

type Pod = ApiObject & { readonly spec: PodSpec };

/**
 * Resolves the priority class of a pod to its priority and preemption policy, and keeps the default class unique.
 * @spec 4.11
 */
export const priority = definePlugin({
  name: 'Priority',
  enabled: true,
  band: 'builtin',
  after: ['PodNodeSelector'],
  create: (env) => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/pods', 'scheduling/priorityclasses'],
    async mutate(request) {
      if (request.resource.kind.kind !== 'Pod') return;
      if (request.operation === 'CREATE') await setPriority(env, request);
      else keepPriority(env, (request.object as Pod).spec, (request.live as Pod).spec);
    },
    async validate(request) {
      if (request.resource.kind.kind === 'PriorityClass') await refuseSecondDefault(env, request);
    },
  }),
});

/** Whether classes say what is preempted for their pods. */
const hasPolicies = ({ isOn }: AdmissionEnv): boolean => isOn?.('NonPreemptingPriority') !== false;

async function setPriority(env: AdmissionEnv, request: AdmissionRequest): Promise<void> {
  const { spec } = request.object as Pod;
  const found = spec.priorityClassName ? await findClass(env, request, spec.priorityClassName) : await findDefault(env);
  if (found?.metadata.name !== undefined) spec.priorityClassName = found.metadata.name;
  const value = found?.value ?? 0;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw refuse(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; ` +
        `priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  if (!hasPolicies(env)) return;
  const policy = found === undefined ? 'PreemptLowerPriority' : found.preemptionPolicy;
  if (policy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; ` +
        `priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = policy;
}

/** An update that omits the resolved fields keeps their values. */
function keepPriority(env: AdmissionEnv, next: PodSpec, live: PodSpec): void {
  if (next.priority === undefined && live.priority !== undefined) next.priority = live.priority;
  if (hasPolicies(env) && next.preemptionPolicy === undefined && live.preemptionPolicy !== undefined) next.preemptionPolicy = live.preemptionPolicy;
}

async function findClass(env: AdmissionEnv, request: AdmissionRequest, name: string): Promise<PriorityClass> {
  const found = await env.objects.get(PRIORITY_CLASS, { namespace: '', name });
  if (found === undefined) throw refuse(request, `no PriorityClass with name ${name} was found`);
  return found as PriorityClass;
}

/** The default class; where two were created concurrently, the lower one. */
async function findDefault(env: AdmissionEnv): Promise<PriorityClass | undefined> {
  const classes = (await env.objects.list(PRIORITY_CLASS, '')) as readonly PriorityClass[];
  return classes.filter((one) => one.globalDefault === true).sort((one, other) => one.value - other.value)[0];
}

async function refuseSecondDefault(env: AdmissionEnv, request: AdmissionRequest): Promise<void> {
  const next = request.object as PriorityClass;
  if (next.globalDefault !== true) return;
  const found = await findDefault(env);
  if (found === undefined || (request.operation !== 'CREATE' && found.metadata.name === next.metadata.name)) return;
  throw refuse(request, `PriorityClass ${found.metadata.name} is already marked as default. Only one default can exist`);
}
