import { cloneJson, isDeepEqual, isTurnLong, nextTurn } from '#base';
import type { Pod, PodSecurityPolicy } from '#kinds';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../../plugin.ts';
import { faultsOf } from './faults.ts';
import { fillIn } from './fill-in.ts';
import { isUsable } from './ranges.ts';
import { UserOfPolicies } from './user-of-policies.ts';

/**
 * Allows only pods that fit a policy which their creator or their service account may use, and fills in what such a policy wants and the pod does not
 * say. Policies are tried in the order of their names; one that changes nothing is preferred.
 * @spec 4.11
 */
export const podSecurityPolicy = definePlugin({
  name: 'PodSecurityPolicy',
  enabled: false,
  band: 'builtin',
  after: ['PodSecurity'],
  create(env) {
    const { domain, shortDomain } = env.brand.names;
    const annotation = `${domain}/psp`;
    const auditKey = (phase: string): string => `podsecuritypolicy.policy.${shortDomain}/${phase}-policy`;
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/pods'],
      async mutate(request) {
        if (request.operation !== 'CREATE') return;
        const { fit, faults } = await judge(env, request, { mayFill: true, first: undefined });
        if (fit === undefined) throw refuse(request, `PodSecurityPolicy: unable to admit pod: ${faults}`);
        const { metadata } = fit.pod;
        request.object = { ...fit.pod, metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation]: fit.policy } } };
        request.annotate(auditKey('admit'), fit.policy);
      },
      async validate(request) {
        const [object, live] = [request.object as Pod, request.live as Pod | undefined];
        if (live !== undefined && isDeepEqual(withoutOwners(object), withoutOwners(live))) return;
        const { fit, faults } = await judge(env, request, { mayFill: false, first: object.metadata.annotations?.[annotation] });
        if (fit === undefined) throw refuse(request, `PodSecurityPolicy: unable to validate pod: ${faults}`);
        request.annotate(auditKey('validate'), fit.policy);
      },
    };
  },
});

interface Judgement {
  /** The pod as the policy wants it, and the name of the policy; absent: no policy allows the pod. */
  readonly fit?: { readonly pod: Pod; readonly policy: string };
  /** What is wrong with the pod by the policies that may be used. */
  readonly faults?: string;
}

/** `mayFill`: whether policies count that change the pod. `first`: the policy that is tried first. */
async function judge(env: AdmissionEnv, request: AdmissionRequest, { mayFill, first }: { readonly mayFill: boolean; readonly first: string | undefined }): Promise<Judgement> {
  const pod = request.object as Pod;
  const policies = await policiesOf(env, first);
  if (policies.length === 0) throw refuse(request, 'PodSecurityPolicy: no providers available to validate pod request');
  const user = new UserOfPolicies(env, request, pod.spec.serviceAccountName);
  const faulty: { readonly name: string; readonly faults: readonly string[] }[] = [];
  let filled: Judgement['fit'];
  for (const policy of policies) {
    const { name = '' } = policy.metadata;
    // Each policy looks at all of the pod, which may be large.
    if (isTurnLong()) await nextTurn(request.signal);
    const next = cloneJson(pod) as Pod;
    fillIn(next, policy, env.brand);
    const faults = faultsOf(next, policy, env.brand);
    if (faults.length > 0) {
      faulty.push({ name, faults });
      continue;
    }
    const isSame = isDeepEqual(next, pod);
    if (!isSame && (!mayFill || filled !== undefined)) continue;
    if (!(await user.mayUse(name))) continue;
    if (isSame) return { fit: { pod: next, policy: name } };
    filled = { pod: next, policy: name };
  }
  if (filled !== undefined) return { fit: filled };
  const shown: string[] = [];
  for (const { name, faults } of faulty) if (await user.mayUse(name)) shown.push(...faults);
  return { faults: `[${shown.join(' ')}]` };
}

async function policiesOf({ objects }: AdmissionEnv, first: string | undefined): Promise<readonly PodSecurityPolicy[]> {
  const all = (await objects.list({ group: 'policy', kind: 'PodSecurityPolicy' }, '')) as readonly PodSecurityPolicy[];
  const rank = ({ metadata: { name = '' } }: PodSecurityPolicy): string => (name === first ? '' : name);
  return all.filter(isUsable).toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** Without what the garbage collector changes. */
function withoutOwners({ metadata, ...body }: Pod): object {
  const { ownerReferences: _, finalizers: _1, managedFields: _2, resourceVersion: _3, selfLink: _4, ...rest } = metadata;
  return { ...body, metadata: rest };
}
