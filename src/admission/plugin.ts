import type { Clock } from '#base';
import type { ApiObject, Brand, Catalog, ObjectAccess, Resource, ServedVersion } from '#api';
import type { Authorizer, User } from '#request';

/** @spec 4.11 */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

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
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** An audit annotation. */
  annotate(key: string, value: string): void;
  /** A text for a `Warning` header. */
  warn(text: string): void;
}

export interface AdmissionHooks {
  readonly on: readonly Operation[];
  /** `group/plural[/subresource]` in neutral form; absent means all. */
  readonly kinds?: readonly string[];
  mutate?(request: AdmissionRequest): Promise<void> | void;
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

export const definePlugin = (plugin: AdmissionPlugin): AdmissionPlugin => plugin;

