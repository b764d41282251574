import type { Clock, Log } from '#base';
import { forbidden, isRefusal, type ApiError } from '#errors';
import { groupResourceOf, type ApiObject, type Brand, type Catalog, type ObjectAccess, type Prerequisite, type Resource, type ServedVersion } from '#api';
import type { Authorizer, User } from '#request';
import type { Send } from '#transport';
import type { AdmissionObserver } from './observer.ts';
import type { Operation } from './operation.ts';

export type { Operation };

/** The request that plugins admit: a write, or a CONNECT request. Objects are in the storage version. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: Resource;
  /** The version of the request; objects here are in the storage version all the same. */
  readonly served: ServedVersion;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty where the path of the request names no object, as that of a POST to a collection, whatever the object is called. */
  readonly nameInPath: string;
  readonly user: User;
  readonly dryRun: boolean;
  readonly live: ApiObject | undefined;
  /** Only `mutate` may change it. */
  object: ApiObject | undefined;
  /** The options of the request as an object of the API (`CreateOptions` and its like); none for CONNECT. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Aborted when the client disconnects or the request ends. */
  readonly signal: AbortSignal;
  /** The deadline of the request, in milliseconds of a monotonic clock. Absent or infinite: none. */
  readonly deadlineAt?: number | undefined;
  /** Adds an audit annotation. */
  annotate(key: string, value: string): void;
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
  /** Tells for how long the response has waited for webhooks, for metrics; of those called at the same time, once. */
  waitedForWebhooks(ms: number): void;
  /** For `validate`: the object is created only while this condition holds, which the commit checks again. Ignored for other operations. */
  onlyWhile(prerequisite: Prerequisite): void;
}

/**
 * The hooks of a plugin. Either hook refuses a request by throwing an `ApiError`, best one made by `refuse`; it may run again for the same request
 * after a conflict with another write.
 */
export interface AdmissionHooks {
  readonly on: readonly Operation[];
  /** `group/plural[/subresource]` in neutral form, as `/pods`, `/pods/eviction`, `networking/ingresses` or `example.com/widgets`; absent means all. */
  readonly kinds?: readonly string[];
  /** `again`: earlier plugins should see the changed object. The chain then runs once more with the same request, whatever is returned that time. */
  mutate?(request: AdmissionRequest): Promise<void | 'again'> | void | 'again';
  validate?(request: Readonly<AdmissionRequest>): Promise<void> | void;
  /** Runs before requests are served, to follow stored objects; the signal aborts when the server stops. */
  start?(signal: AbortSignal): Promise<void>;
}

/** The services of the server that plugins use. */
export interface AdmissionEnv {
  readonly brand: Brand;
  /** The latest stored objects. */
  readonly objects: ObjectAccess;
  readonly catalog: Catalog;
  /** The authorizer of the server. */
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  /** Receives runs of plugins and calls of webhooks, for metrics. Default: none. */
  readonly observer?: AdmissionObserver;
  /** Default: nothing is logged. */
  readonly log?: Log;
  /** Whether a feature that is on by default was not switched off. Default: none was. */
  isOn?(feature: string): boolean;
  /** Sends a request to this server as the server itself: to webhooks behind the Service of the API. Default: they are reached as any other. */
  readonly sendToSelf?: Send;
  /** The configuration of the plugin in the admission configuration file; undefined where there is none. */
  config(plugin: string): unknown;
}

/** The declaration of a plugin. Plugins run band by band; `after` determines the order within a band. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether it is enabled by default. */
  readonly enabled: boolean;
  readonly band: 'builtin' | 'webhook' | 'quota' | 'final';
  readonly after?: readonly string[];
  create(env: AdmissionEnv): AdmissionHooks;
}

/** A plugin, with its type checked. `npm run gen` finds plugins by this call. */
export const definePlugin = (plugin: AdmissionPlugin): AdmissionPlugin => plugin;

/**
 * The refusal of a request, for a plugin to throw: `pods "a" is forbidden: <why>`. An error that is a refusal already is returned unchanged. An
 * object whose name is not generated yet is called by its `generateName`.
 */
export function refuse({ resource, name, object, live }: AdmissionRequest, why: string | Error): ApiError {
  if (isRefusal(why, 'Forbidden')) return why;
  const known = name || (object ?? live)?.metadata.name || object?.metadata.generateName || 'Unknown';
  return forbidden(groupResourceOf(resource), known, typeof why === 'string' ? why : why.message);
}
