import type { ApiObject } from '#api';
import { NumberPool } from './number-pool.ts';

/** The stored form of the allocated numbers of one range, the same as in Kubernetes. @see core/v1.RangeAllocation */
export interface RangeAllocation extends ApiObject {
  /** A CIDR, or the first and last port: `30000-32767`. */
  readonly range: string;
  /** The allocated numbers in base64: a whole number, most significant byte first, whose bit n is that of number n. Absent: there is none. */
  readonly data?: string;
}

/** The pool of a range with what is allocated in it. `stored`: as it was stored; nothing is taken over from another range. */
export function poolFrom(size: number, range: string, stored: RangeAllocation | undefined): NumberPool {
  return new NumberPool(size, stored?.range === range ? Buffer.from(stored.data ?? '', 'base64').reverse() : undefined);
}

/** The stored form of a pool, in the record of this name. */
export function toStored(name: string, range: string, { bits }: NumberPool): RangeAllocation {
  const digits = Buffer.from(bits).reverse();
  const first = digits.findIndex((byte) => byte !== 0);
  const data = first < 0 ? '' : digits.toString('base64', first);
  return { kind: 'RangeAllocation', apiVersion: 'v1', metadata: { name }, range, data };
}
