import { int32Scalar } from './plain.ts';
import type { Scalar } from './scalar.ts';

/** A 32-bit integer or a text such as `25%` or a port name. */
export const intOrStringScalar: Scalar<number | string> = {
  name: 'intOrString',
  openapi: { type: 'string', format: 'int-or-string' },
  zero: 0,
  read: (value) => (typeof value === 'string' ? value : int32Scalar.read(value)),
};
