import { createHash } from 'node:crypto';
import { isJsonObject, memberOf, steady, type JsonObject } from '#base';
import { checkQualifiedName, type ApiObject, type Brand } from '#api';
import { isPassing, openWebhook, readKubeconfig, retrying, TransportFailure, type Webhook } from '#transport';
import { configurationFault } from '../../configuration-kind.ts';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../plugin.ts';

const NAME = 'ImagePolicyWebhook';
/** Attempts per verdict, the first one included. */
const ATTEMPTS = 5;
const BACKOFF_FACTOR = 1.5;
const CALL_MS = 30_000;
const MAX_CACHED = 1024;

/**
 * Asks an external back end whether the images of pods are allowed.
 * @spec 2.8 @spec 4.11 @spec 4.12
 */
export const imagePolicyWebhook = definePlugin({
  name: NAME,
  enabled: false,
  band: 'builtin',
  after: ['AlwaysPullImages', 'ServiceAccount', 'LimitRanger'],
  create(env) {
    const policy = readPolicy(env.config(NAME));
    const verdicts = new Verdicts(env, policy);
    let backEnd: Webhook | undefined;
    return {
      on: ['CREATE', 'UPDATE'],
      kinds: ['/pods', '/pods/ephemeralcontainers'],
      async validate(request) {
        if (request.object === undefined || backEnd === undefined) return;
        const verdict = await judge(env, policy, verdicts, backEnd, request);
        if (verdict !== undefined) settle(request, verdict, env.brand);
      },
      async start(signal) {
        backEnd = await openBackEnd(policy.kubeConfigFile, env);
        signal.addEventListener('abort', () => backEnd?.close(), { once: true });
      },
    };
  },
});

async function openBackEnd(file: string, env: AdmissionEnv): Promise<Webhook> {
  const connection = await readKubeconfig(file);
  if (!connection.server.startsWith('https:')) throw wrong(`the back end in ${file} must be an https address`);
  return openWebhook(connection, { mayBeCalledTwice: true, clock: env.clock });
}

interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, unknown>>;
}

/** The verdict of the back end, or a cached one. undefined: the call failed, and the policy admits pods by default. */
async function judge(env: AdmissionEnv, policy: Policy, verdicts: Verdicts, backEnd: Webhook, request: Readonly<AdmissionRequest>): Promise<Verdict | undefined> {
  const spec = specOf(request, env.brand);
  // Annotations may be long, and many verdicts are kept.
  const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64');
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const review = { kind: 'ImageReview', apiVersion: `${env.brand.group('imagepolicy')}/v1alpha1`, metadata: { creationTimestamp: null }, spec, status: { allowed: false } };
  try {
    const ask = async (): Promise<unknown> => backEnd.call(review, { timeoutMs: CALL_MS, signal: request.signal });
    const plan = { clock: env.clock, firstDelayMs: policy.retryBackoffMs, factor: BACKOFF_FACTOR, attempts: ATTEMPTS, isPassing, signal: request.signal };
    const verdict = readVerdict(await retrying(ask, plan), review.apiVersion);
    verdicts.set(key, verdict);
    return verdict;
  } catch (cause) {
    if (!(cause instanceof TransportFailure)) throw cause;
    if (!policy.defaultAllow) throw refuse(request, cause.message);
    // The pod is not marked: kube-apiserver marks a copy, which later validating plugins see and nobody stores.
    request.annotate(`${auditPrefix(env.brand)}failed-open`, 'true');
    return undefined;
  }
}

function settle(request: Readonly<AdmissionRequest>, { allowed, reason, auditAnnotations }: Verdict, brand: Brand): void {
  for (const [name, value] of Object.entries(auditAnnotations)) {
    const key = `${auditPrefix(brand)}${name}`;
    if (typeof value === 'string' && checkQualifiedName(key) === undefined) request.annotate(key, value);
  }
  if (allowed) return;
  throw refuse(request, reason === '' ? 'one or more images rejected by webhook backend' : `image policy webhook backend denied one or more images: ${reason}`);
}

const auditPrefix = (brand: Brand): string => `imagepolicywebhook.${brand.group('image-policy')}/`;

interface Container {
  readonly image?: string;
}

interface Pod extends ApiObject {
  readonly spec?: {
    readonly containers?: readonly Container[] | null;
    readonly initContainers?: readonly Container[] | null;
    readonly ephemeralContainers?: readonly Container[] | null;
  };
}

function specOf({ object, subresource, namespace }: Readonly<AdmissionRequest>, brand: Brand): object {
  const { metadata, spec } = object as Pod;
  const all = subresource === '' ? [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])] : (spec?.ephemeralContainers ?? []);
  const mark = `.${brand.group('image-policy')}/`;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(mark));
  return {
    containers: all.map(({ image = '' }) => ({ image })),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    namespace,
  };
}

/**
 * Reads the verdict in a response: one that says nothing allows nothing. Throws `TransportFailure` where the response is no review, or one of another
 * version than the request.
 */
function readVerdict(answer: unknown, apiVersion: string): Verdict {
  if (isJsonObject(answer) && memberOf(answer, 'apiVersion') !== apiVersion) throw new TransportFailure('garbage', `the image policy back end did not answer in ${apiVersion}`);
  const status = isJsonObject(answer) ? (memberOf(answer, 'status') ?? {}) : undefined;
  if (!isJsonObject(status)) throw new TransportFailure('garbage', 'the image policy back end answered with something that is no review');
  const [reason, annotations] = [memberOf(status, 'reason'), memberOf(status, 'auditAnnotations')];
  return {
    allowed: memberOf(status, 'allowed') === true,
    reason: typeof reason === 'string' ? reason : '',
    auditAnnotations: isJsonObject(annotations) ? annotations : {},
  };
}

/** Caches the latest verdicts, for the times that the policy sets. */
class Verdicts {
  readonly #env: AdmissionEnv;
  readonly #policy: Policy;
  readonly #known = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>();

  constructor(env: AdmissionEnv, policy: Policy) {
    this.#env = env;
    this.#policy = policy;
  }

  get(key: string): Verdict | undefined {
    const found = this.#known.get(key);
    if (found === undefined || found.untilMs > steady(this.#env.clock).nowMs()) return found?.verdict;
    this.#known.delete(key);
    return undefined;
  }

  set(key: string, verdict: Verdict): void {
    const ttlMs = verdict.allowed ? this.#policy.allowTtlMs : this.#policy.denyTtlMs;
    if (ttlMs === 0) return;
    this.#known.set(key, { verdict, untilMs: steady(this.#env.clock).nowMs() + ttlMs });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_CACHED && oldest !== undefined) this.#known.delete(oldest);
  }
}

interface Policy {
  readonly kubeConfigFile: string;
  /** 0: such verdicts are not cached; the same for `denyTtlMs`. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  readonly defaultAllow: boolean;
}

interface Span {
  readonly unitMs: number;
  readonly defaultMs: number;
  readonly maxMs: number;
}

const MINUTE_MS = 60_000;
const SPANS = {
  allowTTL: { unitMs: 1000, defaultMs: 5 * MINUTE_MS, maxMs: 30 * MINUTE_MS },
  denyTTL: { unitMs: 1000, defaultMs: 30_000, maxMs: 30 * MINUTE_MS },
  retryBackoff: { unitMs: 1, defaultMs: 500, maxMs: 5 * MINUTE_MS },
} as const satisfies Readonly<Record<string, Span>>;

function readPolicy(configuration: unknown): Policy {
  const policy = isJsonObject(configuration) ? memberOf(configuration, 'imagePolicy') : undefined;
  if (!isJsonObject(policy)) throw wrong('must have imagePolicy');
  const [kubeConfigFile, defaultAllow] = [memberOf(policy, 'kubeConfigFile'), memberOf(policy, 'defaultAllow') ?? false];
  if (typeof kubeConfigFile !== 'string' || kubeConfigFile === '') throw wrong('imagePolicy.kubeConfigFile must be the path of a connection file');
  if (typeof defaultAllow !== 'boolean') throw wrong('imagePolicy.defaultAllow must be true or false');
  return {
    kubeConfigFile,
    defaultAllow,
    allowTtlMs: spanOf(policy, 'allowTTL'),
    denyTtlMs: spanOf(policy, 'denyTTL'),
    retryBackoffMs: spanOf(policy, 'retryBackoff'),
  };
}

/** Reads a time, in milliseconds. 0 or absent: the default. -1: none, which is 0. */
function spanOf(policy: JsonObject, name: keyof typeof SPANS): number {
  const { unitMs, defaultMs, maxMs } = SPANS[name];
  const value = memberOf(policy, name) ?? 0;
  if (value === 0) return defaultMs;
  if (value === -1) return 0;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value * unitMs > maxMs) {
    throw wrong(`imagePolicy.${name} must be a whole number from 1 to ${maxMs / unitMs}, or -1 for none`);
  }
  return value * unitMs;
}

const wrong = (why: string): Error => configurationFault(NAME, why);
