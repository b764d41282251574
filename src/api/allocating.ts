import type { FieldErrors } from '#errors';

/** Addresses and ports of the cluster. Each belongs to one object. */
export interface HeldValues {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** What one write allocates from. A dry-run checks, but allocates nothing. */
export interface Allocation {
  /** The family of addresses where none is named. */
  readonly defaultFamily: string;
  hasFamily(family: string | undefined): boolean;
  /** Allocates an address; returns why it cannot, or undefined. */
  allocateAddress(ip: string): string | undefined;
  /** Allocates any free address of a family; undefined: there is none. */
  allocateNextAddress(family: string): string | undefined;
  /** Allocates a port; returns why it cannot, or undefined. */
  allocatePort(port: number): string | undefined;
  /** Allocates any free port that is not in `reserved`; undefined: there is none. */
  allocateNextPort(reserved: ReadonlySet<number>): number | undefined;
}

/**
 * For the kind whose objects hold addresses and ports of the cluster, allocated before a write and released if it fails. One kind of a server alone, which
 * is Service: values that no object of the kind holds are freed.
 */
export interface Allocating<T> {
  /** What an object holds. */
  held(object: T): HeldValues;
  /**
   * Allocates what `next` needs and `live` does not hold, and writes it into `next`, into copies of the parts that it changes: after a lost race it is
   * called again with `next` as it was. Reports in `at` what cannot be allocated.
   */
  allocate(next: T, live: T | undefined, allocation: Allocation, at: FieldErrors): void;
}
