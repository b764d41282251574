import { createHmac } from 'node:crypto';
import { isDeepEqual } from '#base';
import type { Brand } from '#api';
import { source, type Controller, type ControllerEnv, type Running } from '#client';
import { ConfigMap, Namespace, Secret } from '#kinds';
import { readBootstrapToken, startWithTokens, type BootstrapToken } from './bootstrap-tokens.ts';
import type { ServerControllerEnv } from './environment.ts';
import { followOnly } from './follow-only.ts';
import { isTooLate } from './service-accounts.ts';

const NAME = 'cluster-info';
const PAYLOAD = 'kubeconfig';
const SIGNATURE_PREFIX = 'jws-kubeconfig-';

/**
 * Maintains the ConfigMap `cluster-info` in the public namespace, from which joining nodes learn the server's CA, and signs it with every bootstrap
 * token that is enabled for signing. A kubeconfig that others put there stays, and is signed.
 * @spec 5.3
 */
export function startBootstrapSigner(env: ServerControllerEnv): Running {
  return startWithTokens(signer(configOf(env)), followOnly(env, ConfigMap, { fieldSelector: `metadata.name=${NAME}` }));
}

/** `config`: the default kubeconfig; undefined: the ConfigMap is not created. */
const signer = (config: string | undefined): Controller<Namespace> => ({
  name: 'bootstrapsigner',
  watches: Namespace,
  // Every change leads to the same single key.
  also: [source(ConfigMap, (_map, env) => [publicNamespace(env)]), source(Secret, (_secret, env) => [publicNamespace(env)])],
  async reconcile({ name: namespace }, env) {
    const { client, clock, inform } = env;
    if (namespace !== publicNamespace(env).name || inform(Namespace).get({ namespace: '', name: namespace }) === undefined) return undefined;
    const live = inform(ConfigMap).get({ namespace, name: NAME });
    const payload = live?.data?.[PAYLOAD] ?? config;
    if (payload === undefined) return undefined;
    const nowMs = clock.nowMs();
    const tokens = inform(Secret).list().flatMap((secret) => readBootstrapToken(secret, client.brand) ?? []);
    const good = tokens.filter(({ isForSigning, endsMs }) => isForSigning && endsMs > nowMs);
    await keep(live, namespace, dataOf(live, payload, good, client.brand), env);
    const firstEndMs = Math.min(...good.map(({ endsMs }) => endsMs));
    return firstEndMs === Infinity ? undefined : firstEndMs - nowMs;
  },
});

const publicNamespace = ({ client }: ControllerEnv) => ({ namespace: '', name: client.brand.names.publicNamespace });

/** The data with current signatures, and without those of deleted tokens. */
function dataOf(live: ConfigMap | undefined, payload: string, tokens: readonly BootstrapToken[], brand: Brand): Record<string, string> {
  const rest = Object.entries(live?.data ?? {}).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX));
  const signatures = tokens.map((token) => [`${SIGNATURE_PREFIX}${token.id}`, signDetached(payload, token, brand)] as const);
  return Object.fromEntries([...rest, [PAYLOAD, payload], ...signatures]);
}

async function keep(live: ConfigMap | undefined, namespace: string, data: Record<string, string>, { client }: ControllerEnv): Promise<void> {
  const maps = client.of(ConfigMap);
  try {
    if (live === undefined) await maps.create({ metadata: { namespace, name: NAME }, data });
    else if (!isDeepEqual(live.data ?? {}, data)) await maps.update({ ...live, data });
  } catch (cause) {
    if (!isTooLate(cause)) throw cause;
  }
}

/** A JWS with detached payload; deterministic for a token. */
function signDetached(payload: string, { id, secret }: Pick<BootstrapToken, 'id' | 'secret'>, { deviations }: Brand): string {
  const key = deviations.signsWithWholeToken ? `${id}.${secret}` : secret;
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const signed = `${header}.${Buffer.from(payload).toString('base64url')}`;
  return `${header}..${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** A kubeconfig with the server's address and CA, and without a user. JSON is YAML. */
function configOf({ rootCa, url }: ServerControllerEnv): string | undefined {
  if (rootCa === undefined || url === undefined) return undefined;
  const cluster = { 'certificate-authority-data': Buffer.from(rootCa).toString('base64'), server: url };
  const config = { apiVersion: 'v1', kind: 'Config', clusters: [{ name: '', cluster }], contexts: [], 'current-context': '', preferences: {}, users: [] };
  return `${JSON.stringify(config, null, 2)}\n`;
}
