import type { Clock } from '#base';
import { forbidden, isRefusal, type ApiError } from '#errors';
import type { ApiObject, Brand, Catalog, Condition, ObjectAccess, Resource, ServedVersion } from '#api';
import type { Authorizer, User } from '#request';
import type { AdmissionObserver } from './observer.ts';
import type { Operation } from './operation.ts';

export type { Operation };

/** What a plugin is asked about: one write, or one request to connect with something behind the API. Objects are in the storage version. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: Resource;
  /** The version the request came through; objects here are in the storage version all the same. */
  readonly served: ServedVersion;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: User;
  readonly dryRun: boolean;
  readonly live: ApiObject | undefined;
  /** Only `mutate` may change it. */
  object: ApiObject | undefined;
  /** The options of the request as an object of the API (`CreateOptions` and its like); none for CONNECT. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** When the answer has to be there, in milliseconds since the epoch. Absent or infinite: nobody has said. */
  readonly deadlineAt?: number | undefined;
  /** An audit annotation. */
  annotate(key: string, value: string): void;
  /** A text for a `Warning` header. */
  warn(text: string): void;
  /** Said by `validate`: what is made is stored only while this holds, also if it has held until now. Without effect on what is not made. */
  onlyWhile(condition: Condition): void;
}

/** What a plugin does. Either hook refuses a request by throwing an `ApiError`, best one that `refuse` made; it may be asked again for the same request after a lost race. */
export interface AdmissionHooks {
  readonly on: readonly Operation[];
  /** `group/plural[/subresource]` in neutral form; absent means all. */
  readonly kinds?: readonly string[];
  /** `again`: what it changed, earlier plugins should see. The chain then runs once more, with the same request, whatever it answers. */
  mutate?(request: AdmissionRequest): Promise<void | 'again'> | void | 'again';
  validate?(request: Readonly<AdmissionRequest>): Promise<void> | void;
  /** Runs before requests are served, for what follows stored objects; the signal ends with the server. */
  start?(signal: AbortSignal): Promise<void>;
}

/** What the host gives every plugin. */
export interface AdmissionEnv {
  readonly brand: Brand;
  /** What is stored, newest. */
  readonly objects: ObjectAccess;
  readonly catalog: Catalog;
  /** The one that every request is asked of. */
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  /** Counts and times what plugins and webhooks do. Default: nobody does. */
  readonly observer?: AdmissionObserver;
  /** The configuration file's part for a plugin, undefined where there is none. */
  config(plugin: string): unknown;
}

/** Plugins run band by band; `after` settles the order inside one. */
export interface AdmissionPlugin {
  readonly name: string;
  /** By default. */
  readonly enabled: boolean;
  readonly band: 'builtin' | 'webhook' | 'quota' | 'final';
  readonly after?: readonly string[];
  create(env: AdmissionEnv): AdmissionHooks;
}

/** A plugin, with its type checked. `npm run gen` finds plugins by this call. */
export const definePlugin = (plugin: AdmissionPlugin): AdmissionPlugin => plugin;

/**
 * The refusal of a request, for a plugin to throw: `pods "a" is forbidden: <why>`. A failure that is a refusal already stays as it is.
 * An object whose name is to be made up is called by what its name will begin with.
 */
export function refuse({ resource, name, object, live }: AdmissionRequest, why: string | Error): ApiError {
  if (isRefusal(why, 'Forbidden')) return why;
  const known = name || (object ?? live)?.metadata.name || object?.metadata.generateName || 'Unknown';
  return forbidden({ group: resource.group, resource: resource.plural }, known, typeof why === 'string' ? why : why.message);
}
