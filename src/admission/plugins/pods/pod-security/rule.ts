import type { Brand } from '#api';
import type { PodLike } from './pod-like.ts';

/** A violation by a pod: a short reason, and which containers or fields are at fault. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (pod: PodLike, brand: Brand) => Violation | undefined;

export interface Rule {
  /** The name of the rule in Kubernetes, for readers of the code. */
  readonly id: string;
  /** The check from each minor version on; before the first one there is none. */
  readonly since: readonly (readonly [minor: number, check: Check])[];
}

export type Container = NonNullable<PodLike['spec']['containers']>[number];

export const namesOf = (containers: readonly Container[]): readonly string[] => containers.map(({ name }) => name);

/** `"a", "b"` */
export const quoted = (names: Iterable<string>): string => [...names].map((name) => JSON.stringify(name)).join(', ');

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `container "a"`, `containers "a", "b"` */
export const containerNames = (names: readonly string[]): string => `${plural('container', 'containers', names.length)} ${quoted(names)}`;

/** Each once, in alphabetical order. */
export const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();

/** `pod and containers "a", "b"` */
export const setters = (isPod: boolean, names: readonly string[]): string =>
  [...(isPod ? ['pod'] : []), ...(names.length > 0 ? [containerNames(names)] : [])].join(' and ');
