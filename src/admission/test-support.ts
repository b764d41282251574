import { brandOf, createCatalog, type ApiObject, type Dialect, type Follower, type KindName, type ObjectKey, type Resource } from '#api';
import { ApiError } from '#errors';
import { allKinds, type Pod } from '#kinds';
import type { User } from '#request';
import { createAdmissionChain } from './chain.ts';
import type { AdmissionEnv, AdmissionPlugin, AdmissionRequest, Operation } from './plugin.ts';

/** The stored objects, request and configuration for a plugin under test. */
export interface Setting {
  /** All stored objects, in whatever namespace. */
  readonly known?: readonly ApiObject[];
  /** Objects that were stored once, and are no more. Followers heard of both. */
  readonly gone?: readonly ApiObject[];
  /** The live object; makes the request an update. */
  readonly live?: ApiObject;
  readonly operation?: Operation;
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: User;
  readonly config?: unknown;
  readonly dialect?: Dialect;
  /** What the authorizer allows. Default: everything. */
  readonly may?: (what: { readonly verb: string; readonly resource: string; readonly subresource: string }) => boolean;
}

/** The admitted object, and what the plugin reported. */
export interface Admitted<T extends ApiObject> {
  readonly object: T;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

export const make = (kind: string, name: string, more: object = {}, metadata: object = {}): ApiObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, ...metadata }, ...more }) as ApiObject;

/** A pod with one container, which has no resources unless `spec` says otherwise. */
export const pod = (spec: object = {}, metadata: object = {}): Pod =>
  make('Pod', 'p', { spec: { containers: [{ name: 'c', resources: {} }], ...spec }, status: {} }, metadata) as Pod;

/** Runs one plugin, both phases, over an object in the namespace `n`; rejects with what the plugin throws. */
export async function admit<T extends ApiObject>(plugin: AdmissionPlugin, object: T, setting: Setting = {}): Promise<T> {
  return (await admitted(plugin, object, setting)).object;
}

/** Like `admit`, with warnings and audit annotations. */
export async function admitted<T extends ApiObject>(plugin: AdmissionPlugin, object: T, setting: Setting = {}): Promise<Admitted<T>> {
  const { known = [], gone = [], live, namespace = 'n', user = { name: 'u', groups: [] }, config, dialect = 'orch', may = () => true } = setting;
  const brand = brandOf(dialect);
  const catalog = createCatalog(allKinds, brand);
  const ofKind = ({ kind }: KindName): readonly ApiObject[] => known.filter((one) => one.kind === kind);
  const env = {
    brand,
    catalog,
    objects: {
      get: async (kind: KindName, { name }: ObjectKey) => ofKind(kind).find(({ metadata }) => metadata.name === name),
      list: async (kind: KindName, of: string) => ofKind(kind).filter(({ metadata }) => of === '' || (metadata.namespace ?? of) === of),
      follow: async ({ kind }: KindName, follower: Follower) => {
        const of = (all: readonly ApiObject[]): readonly ApiObject[] => all.filter((one) => one.kind === kind);
        for (const one of of([...known, ...gone])) follower.put(one);
        for (const one of of(gone)) follower.remove({ namespace: one.metadata.namespace ?? '', name: one.metadata.name ?? '' }, one);
      },
    },
    authorizer: { authorize: (what: Parameters<typeof may>[0]) => ({ verdict: may(what) ? 'allow' : 'noOpinion', reason: 'because' }) },
    clock: { nowMs: () => 0, after: () => () => {} },
    config: () => config,
  } as unknown as AdmissionEnv;
  const hooks = plugin.create(env);
  const signal = new AbortController().signal;
  await hooks.start?.(signal);
  const resource = catalog.resources.find(({ kind }) => kind.kind === object.kind) as Resource;
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  const operation = setting.operation ?? (live === undefined ? 'CREATE' : 'UPDATE');
  const request: AdmissionRequest = {
    operation,
    resource,
    served: resource.storage,
    subresource: setting.subresource ?? '',
    namespace,
    name: setting.name ?? object.metadata.name ?? '',
    nameInPath: operation === 'CREATE' ? '' : (setting.name ?? object.metadata.name ?? ''),
    user,
    dryRun: setting.dryRun ?? false,
    live,
    object: operation === 'DELETE' ? undefined : object,
    signal,
    annotate: (key, value) => void (annotations[key] = value),
    waitedForWebhooks: () => {},
    warn: (text) => void warnings.push(text),
    onlyWhile: () => {},
  };
  const chain = createAdmissionChain([hooks]);
  await chain.mutate(request);
  await chain.validate(request);
  return { object, warnings, annotations };
}

/** For `assert.rejects`: matches a `Forbidden` error whose message contains these words. */
export const refused =
  (words: string) =>
  (thrown: unknown): boolean =>
    thrown instanceof ApiError && thrown.reason === 'Forbidden' && thrown.message.includes(words);
