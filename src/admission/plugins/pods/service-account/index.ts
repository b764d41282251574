import { cloneJson } from '#base';
import { checkPathSegment, generateName, type ApiObject, type Brand } from '#api';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../../plugin.ts';
import type { Pod as WholePod } from '#kinds';
import { referredKinds } from '../../../referred-kinds.ts';
import { Arrivals, DEFAULT_ACCOUNT } from './arrivals.ts';
import type { Account, Pod, Volume } from './forms.ts';
import { whyNotJoining, whyNotSecret } from './limited-secrets.ts';

/**
 * Gives every pod an existing service account, a token of it, and its image pull secrets.
 * @spec 5.9
 */
export const serviceAccount = definePlugin({
  name: 'ServiceAccount',
  enabled: true,
  band: 'builtin',
  after: ['LimitRanger'],
  create(env) {
    const arrivals = new Arrivals(env.clock);
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/pods', '/pods/ephemeralcontainers'],
      mutate: (request) => (request.operation === 'CREATE' ? giveAccount(env, request, arrivals) : undefined),
      validate(request) {
        if (request.operation === 'CREATE') return checkNew(env, request);
        return request.subresource === 'ephemeralcontainers' ? checkJoining(env, request) : undefined;
      },
      start: (signal) => env.objects.follow(ACCOUNT, arrivals, signal),
    };
  },
});

async function giveAccount(env: AdmissionEnv, request: AdmissionRequest, arrivals: Arrivals): Promise<void> {
  const pod = request.object as Pod;
  // Clients expect the refusal of a mirror pod from this plugin, before any other error about the pod.
  if (isMirror(pod, env.brand)) return refuseMirror(request, pod);
  pod.spec.serviceAccountName ||= DEFAULT_ACCOUNT;
  pod.spec.serviceAccount = pod.spec.serviceAccountName;
  const account = await findAccount(env, request, pod.spec.serviceAccountName, arrivals);
  if (wantsToken(pod, account, env.brand)) mountToken(pod, env.brand);
  if ((pod.spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
    pod.spec.imagePullSecrets = cloneJson(account.imagePullSecrets ?? []);
  }
}

async function checkNew(env: AdmissionEnv, request: AdmissionRequest): Promise<void> {
  const pod = request.object as Pod;
  if (isMirror(pod, env.brand)) return refuseMirror(request, pod);
  const refusal = whyNotSecret(pod, await findAccount(env, request, pod.spec.serviceAccountName ?? ''), env.brand);
  if (refusal !== undefined) throw refuse(request, refusal);
}

/** Checks ephemeral containers that are added to a pod. Where the service account of the pod no longer exists, nothing limits them. */
async function checkJoining({ objects, brand }: AdmissionEnv, request: AdmissionRequest): Promise<void> {
  const pod = request.object as Pod;
  const { serviceAccountName: name } = pod.spec;
  const account: Account | undefined = name ? await objects.get(ACCOUNT, { namespace: request.namespace, name }) : undefined;
  const refusal = account && whyNotJoining(pod, account, brand);
  if (refusal !== undefined) throw refuse(request, refusal);
}

/** Whether to mount a token. The pod's setting takes precedence over the account's; in one dialect, either of them can refuse (R5.9-09). */
function wantsToken({ spec }: Pod, account: Account, { deviations }: Brand): boolean {
  const said = [spec.automountServiceAccountToken, account.automountServiceAccountToken];
  return deviations.anyoneStopsTokenMount ? !said.includes(false) : (said[0] ?? said[1] ?? true);
}

/** A mirror pod represents a static pod of a node, and must stay exactly as the node created it. */
const isMirror = ({ metadata }: Pod, { names }: Brand): boolean => Object.hasOwn(metadata.annotations ?? {}, names.mirrorPodAnnotation);

function refuseMirror(request: AdmissionRequest, pod: Pod): void {
  const refusal = whyNotMirror(pod);
  if (refusal !== undefined) throw refuse(request, refusal);
}

const ACCOUNT = { group: '', kind: 'ServiceAccount' } as const;

/** Reads a service account; with `arrivals` it waits briefly for a default account that does not exist yet. Throws `Forbidden`. */
async function findAccount({ objects }: AdmissionEnv, request: AdmissionRequest, name: string, arrivals?: Arrivals): Promise<Account> {
  const { namespace, signal } = request;
  const faults = checkPathSegment(name);
  if (faults !== undefined) throw refuse(request, `error looking up service account ${namespace}/${name}: invalid resource name ${JSON.stringify(name)}: [${faults.join(' ')}]`);
  const look = (): Promise<ApiObject | undefined> => objects.get(ACCOUNT, { namespace, name });
  const found = (await look()) ?? (name === DEFAULT_ACCOUNT ? await arrivals?.next(namespace, look, signal) : undefined);
  if (found !== undefined) return found;
  throw refuse(request, `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`);
}

const VOLUME_PREFIX = 'kube-api-access-';
/** A little more than an hour, since nodes renew tokens in time; by the odd number, tokens of this plugin can be recognized. */
const TOKEN_SECONDS = 3607;

/** Mounts a token, the cluster's CA and the namespace at a well-known path of every container. */
function mountToken({ spec }: Pod, { names }: Brand): void {
  const found = (spec.volumes ?? []).find((volume) => volume.name.startsWith(VOLUME_PREFIX));
  const name = found?.name ?? generateName(VOLUME_PREFIX);
  const mountPath = names.serviceAccountMount;
  const isMounted = (mount: object): boolean => Reflect.get(mount, 'mountPath') === mountPath;
  const without = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(({ volumeMounts }) => !(volumeMounts ?? []).some(isMounted));
  for (const container of without) container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  if (without.length > 0 && found === undefined) spec.volumes = [...(spec.volumes ?? []), { name, ...tokenSource(names.rootCaConfigMap) }];
}

const tokenSource = (rootCa: string): Pick<Volume, 'projected'> & object => {
  const sources = [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: rootCa, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
  ];
  return { projected: { sources, defaultMode: 0o644 } as Volume['projected'] & object };
};

function whyNotMirror({ spec }: Pod): string | undefined {
  if (spec.serviceAccountName) return 'a mirror pod may not reference service accounts';
  if (referredKinds(spec as WholePod['spec']).has('secret')) return 'a mirror pod may not reference secrets';
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  const hasToken = sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}
