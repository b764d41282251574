import type { ApiObject, Brand, ObjectKey, Resource } from '#api';
import type { User } from '#request';

/** @spec 4.11 */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: User;
  readonly dryRun: boolean;
  readonly live: ApiObject | undefined;
  /** Only `mutate` may change it. */
  object: ApiObject | undefined;
  /** An audit annotation. */
  annotate(key: string, value: string): void;
}

export interface AdmissionHooks {
  readonly on: readonly Operation[];
  /** `group/plural[/subresource]` in neutral form; absent means all. */
  readonly kinds?: readonly string[];
  mutate?(request: AdmissionRequest): Promise<void> | void;
  validate?(request: Readonly<AdmissionRequest>): Promise<void> | void;
}

/** What the host gives every plugin. */
export interface AdmissionEnv {
  readonly brand: Brand;
  /** The stored object, newest; skips authorization as a loopback client would. */
  readonly read: (group: string, kind: string, key: ObjectKey) => Promise<ApiObject | undefined>;
  /** The stored objects of a kind, newest; an empty namespace means all. For kinds of which there are few. */
  readonly list: (group: string, kind: string, namespace: string) => Promise<readonly ApiObject[]>;
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

