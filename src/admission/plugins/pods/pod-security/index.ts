import { inOneMessage, invalid } from '#errors';
import type { ApiObject } from '#api';
import { CONTAINER_LISTS, type Pod } from '#kinds';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../../plugin.ts';
import { readConfig, type Config } from './config.ts';
import { inDetail, violationsOf } from './evaluate.ts';
import { warnOfExisting } from './existing-pods.ts';
import { compareLevels, countedVersion, formatStandard, type Policy, type Standard } from './level.ts';
import { KINDS_WITH_PODS, podIn, type PodLike } from './pod-like.ts';
import { readPolicy, type ReadPolicy } from './read-policy.ts';

/**
 * Holds pods to the standards that the labels `enforce`, `audit` and `warn` of their namespace name. Objects with a pod template get audit
 * annotations and warnings only: the pods created from them are refused.
 * @spec 4.11
 */
export const podSecurity = definePlugin({
  name: 'PodSecurity',
  enabled: true,
  band: 'builtin',
  after: ['ImagePolicyWebhook', 'AlwaysPullImages'],
  create(env) {
    const config = readConfig(env.config('PodSecurity'));
    const prefix = `pod-security.${env.brand.names.domain}/`;
    const policyOf = (namespace: ApiObject | undefined): ReadPolicy => readPolicy(namespace?.metadata.labels, config.defaults, prefix);
    const security: Security = { env, config, prefix, policyOf };
    return {
      on: env.isOn?.('PodSecurity') === false ? [] : ['CREATE', 'UPDATE'],
      kinds: ['/namespaces', '/pods/ephemeralcontainers', ...KINDS_WITH_PODS],
      validate: (request) => (request.resource.kind.kind === 'Namespace' ? checkNamespace(security, request) : checkPod(security, request)),
    };
  },
});

/** The services and settings of every check. */
interface Security {
  readonly env: AdmissionEnv;
  readonly config: Config;
  /** The prefix of namespace labels and audit annotations, as `pod-security.kubernetes.io/`. */
  readonly prefix: string;
  policyOf(namespace: ApiObject | undefined): ReadPolicy;
}

/** Tells the observer, if there is one, what became of a request. */
const told = ({ env }: Security, { operation, resource: { kind }, subresource }: AdmissionRequest) => {
  const about = { operation, resource: isPods(kind) ? 'pod' : 'controller', subresource } as const;
  const observer = env.observer?.podSecurity;
  return {
    exempted: () => observer?.exempted(about),
    failed: () => observer?.failed(about),
    evaluated: (decision: 'allow' | 'deny', mode: keyof Policy, standard: Standard) =>
      observer?.evaluated({ operation, resource: about.resource, subresource, decision, mode, level: standard.level, version: countedVersion(standard) }),
  };
};

const isPods = ({ group, plural }: AdmissionRequest['resource']['kind']): boolean => group === '' && plural === 'pods';

/** Refuses invalid labels of a namespace, and warns of existing pods that violate its new `enforce` standard. */
async function checkNamespace({ env, config, prefix, policyOf }: Security, request: AdmissionRequest): Promise<void> {
  const { object, live, signal } = request;
  const { policy, faults } = policyOf(object);
  const name = object?.metadata.name ?? '';
  const before = live === undefined ? undefined : policyOf(live);
  const isNews = before === undefined || JSON.stringify(faults.causes) !== JSON.stringify(before.faults.causes);
  if (!faults.isEmpty && isNews) throw invalid({ group: '', kind: 'Namespace' }, name, faults.causes);
  if (before === undefined) return;
  const [next, old] = [policy.enforce, before.policy.enforce];
  if (next.level === 'privileged') return;
  if (next.version === old.version && compareLevels(next.level, old.level) < 1) return;
  if (config.namespaces.has(name)) {
    request.annotate(`${prefix}exempt`, 'namespace');
    return;
  }
  for (const text of await warnOfExisting(env, config, name, next, signal)) request.warn(text);
}

async function checkPod(security: Security, request: AdmissionRequest): Promise<void> {
  const { env, config, prefix, policyOf } = security;
  const { namespace, user, object, live, resource: { kind } } = request;
  const exempt = config.namespaces.has(namespace) ? 'namespace' : config.usernames.has(user.name) ? 'user' : undefined;
  const observer = told(security, request);
  if (exempt !== undefined) {
    observer.exempted();
    request.annotate(`${prefix}exempt`, exempt);
    return;
  }
  const isPod = isPods(kind);
  const { policy, faults } = policyOf(await env.objects.get({ group: '', kind: 'Namespace' }, { namespace: '', name: namespace }));
  const modes = [...(isPod ? [policy.enforce] : []), policy.audit, policy.warn];
  if (object === undefined) return;
  if (faults.isEmpty && modes.every(({ level }) => level === 'privileged')) {
    // Whatever version of that level the namespace names: all of them allow everything.
    if (isPod) {
      observer.evaluated('allow', 'enforce', policy.enforce);
      request.annotate(`${prefix}enforce-policy`, 'privileged:latest');
    }
    return;
  }
  const pod = podIn(object, `${kind.group}/${kind.plural}`);
  if (pod === undefined || (isPod && live !== undefined && !isChanged(object as Pod, live as Pod, env))) return;
  if (config.runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
    observer.exempted();
    request.annotate(`${prefix}exempt`, 'runtimeClass');
    return;
  }
  if (!faults.isEmpty) {
    observer.failed();
    request.annotate(`${prefix}error`, `Failed to parse policy: ${inOneMessage(faults.texts)}`);
  }
  judge(security, request, pod, policy, isPod ? policy.enforce : undefined);
}

/** Annotates what violates `audit`, refuses what violates `enforce`, and warns of what violates `warn`. `enforce` is undefined for pod templates. */
function judge(security: Security, request: AdmissionRequest, pod: PodLike, { audit, warn }: Policy, enforce: Standard | undefined): void {
  const { env: { brand }, prefix } = security;
  const observer = told(security, request);
  const refused = enforce === undefined ? [] : violationsOf(enforce, pod, brand);
  if (enforce !== undefined) {
    observer.evaluated(refused.length > 0 ? 'deny' : 'allow', 'enforce', enforce);
    request.annotate(`${prefix}enforce-policy`, formatStandard(enforce));
  }
  const audited = violationsOf(audit, pod, brand);
  if (audited.length > 0) {
    observer.evaluated('deny', 'audit', audit);
    request.annotate(`${prefix}audit-violations`, `would violate PodSecurity "${formatStandard(audit)}": ${inDetail(audited)}`);
  }
  if (enforce !== undefined && refused.length > 0) throw refuse(request, `violates PodSecurity "${formatStandard(enforce)}": ${inDetail(refused)}`);
  const warned = violationsOf(warn, pod, brand);
  if (warned.length === 0) return;
  observer.evaluated('deny', 'warn', warn);
  request.warn(`would violate PodSecurity "${formatStandard(warn)}": ${inDetail(warned)}`);
}

/** Whether an update changes what the standards evaluate: of the mutable fields of a pod these are images, seccomp profiles and containers. */
function isChanged(next: Pod, live: Pod, { brand }: AdmissionEnv): boolean {
  const ofPod = brand.names.seccompPodAnnotation;
  if (next.metadata.annotations?.[ofPod] !== live.metadata.annotations?.[ofPod]) return true;
  const before = looksOf(live, brand.names.seccompContainerAnnotationPrefix);
  const after = looksOf(next, brand.names.seccompContainerAnnotationPrefix);
  return [...after].some(([key, look]) => before.get(key) !== look);
}

/** The image and seccomp profile of each container, by list and name. */
function looksOf({ metadata, spec }: Pod, profiles: string): ReadonlyMap<string, string> {
  const lists = CONTAINER_LISTS.flatMap((list) =>
    (spec[list] ?? []).map(({ name, image }: { readonly name: string; readonly image?: string }) => ({ key: `${list}/${name}`, name, image })),
  );
  return new Map(lists.map(({ key, name, image }) => [key, JSON.stringify([image, metadata.annotations?.[profiles + name]])]));
}
