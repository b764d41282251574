import type { Scalar } from './scalar.ts';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON object, kept as it came. */
export const rawObjectScalar: Scalar<Record<string, unknown>> = {
  name: 'rawObject',
  openapi: { type: 'object' },
  zero: null,
  read: (value) => (isObject(value) ? value : undefined),
};

/** A managed-field set, kept as it came. */
export const fieldsV1Scalar: Scalar<Record<string, unknown>> = {
  name: 'fieldsV1',
  openapi: { type: 'object' },
  zero: null,
  read: (value) => (isObject(value) ? value : undefined),
};

/** Any JSON value. */
export const jsonScalar: Scalar = {
  name: 'json',
  openapi: {},
  zero: null,
  read: (value) => value,
};
