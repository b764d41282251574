/** A scalar: a value that the API treats as one unit, whatever its form in JSON or protobuf. */
export interface Scalar<T = unknown> {
  /** Unique; protobuf readers and writers are chosen by it. */
  readonly name: ScalarName;
  readonly openapi: { readonly type?: string; readonly format?: string };
  /** The value an absent, non-pointer field has. `null` where Go prints null. */
  readonly zero: T | null;
  /** Any JSON value → the normal form of this scalar, or undefined when it does not fit. `null` never arrives here. */
  read(value: unknown): T | undefined;
  /** What is left of a value that `read` refuses, where it is converted without regard to its range; undefined: it is of another type. */
  wrap?(value: unknown): T | undefined;
}

export type ScalarName =
  | 'string'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bool'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'rawObject'
  | 'fieldsV1'
  | 'json';
