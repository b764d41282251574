import type { Scalar } from './scalar.ts';

export const stringScalar: Scalar<string> = {
  name: 'string',
  openapi: { type: 'string' },
  zero: '',
  read: (value) => (typeof value === 'string' ? value : undefined),
};

export const boolScalar: Scalar<boolean> = {
  name: 'bool',
  openapi: { type: 'boolean' },
  zero: false,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
};

export const int32Scalar: Scalar<number> = {
  name: 'int32',
  openapi: { type: 'integer', format: 'int32' },
  zero: 0,
  read: (value) => (typeof value === 'number' && (value | 0) === value ? value + 0 : undefined),
  wrap(value) {
    if (typeof value === 'bigint') return Number(BigInt.asIntN(32, value));
    return typeof value === 'number' && Number.isSafeInteger(value) ? value | 0 : undefined;
  },
};

/**
 * 64-bit integers are numbers while they are exact and bigint beyond that, as the JSON reader delivers them.
 * A number that is not exact was written as a fraction or exponent and does not fit.
 */
export const int64Scalar: Scalar<number | bigint> = {
  name: 'int64',
  openapi: { type: 'integer', format: 'int64' },
  zero: 0,
  read(value) {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined;
    if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : undefined;
    return undefined;
  },
};

/** Infinity and what is no number do not fit: JSON has neither, and would lose them in the store. */
export const doubleScalar: Scalar<number> = {
  name: 'double',
  openapi: { type: 'number', format: 'double' },
  zero: 0,
  read(value) {
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    return typeof value === 'bigint' ? Number(value) : undefined;
  },
};
