import type { Scalar } from './scalar.ts';

/** What is documented as an object, kept as it came. Any JSON value is taken: nobody looks inside. */
export const rawObjectScalar: Scalar = {
  name: 'rawObject',
  openapi: { type: 'object' },
  zero: null,
  read: (value) => value,
};

/** A managed-field set, kept as it came. Any JSON value is taken here: what is no set is found out by those who look for owners in it. */
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
