import type { Scalar } from './scalar.ts';

/** A value documented as an object and kept as sent. Any JSON value is accepted without inspection. */
export const rawObjectScalar: Scalar = {
  name: 'rawObject',
  openapi: { type: 'object' },
  zero: null,
  read: (value) => value,
};

/** A managed fields set, kept as sent. Any JSON value is accepted here: code that reads field ownership detects invalid ones. */
export const fieldsV1Scalar: Scalar<Record<string, unknown>> = {
  name: 'fieldsV1',
  openapi: { type: 'object' },
  zero: null,
  read: (value) => value as Record<string, unknown>,
};

/** Any JSON value. */
export const jsonScalar: Scalar = {
  name: 'json',
  openapi: {},
  zero: null,
  read: (value) => value,
};
