import { Field, type FieldFacts, type ListMerge, type MessageClass, type MessageForm, type MessageType, type Type } from './field.ts';
import type { Shape, ValueOf } from './infer.ts';
import { bytesScalar } from './scalars/bytes.ts';
import { intOrStringScalar } from './scalars/int-or-string.ts';
import { boolScalar, doubleScalar, int32Scalar, int64Scalar, stringScalar } from './scalars/plain.ts';
import { quantityScalar } from './scalars/quantity.ts';
import { fieldsV1Scalar, jsonScalar, rawObjectScalar } from './scalars/raw.ts';
import type { Scalar } from './scalars/scalar.ts';
import { microTimeScalar, timeScalar } from './scalars/time.ts';

/**
 * The schema language. One declaration per type gives its static TypeScript type and, compiled on first use, everything that is
 * derived from it: decoding, pruning, defaults, merge information, protobuf, OpenAPI.
 *
 * A message is a class only so that types and errors have a name. It is never instantiated: values stay plain JSON.
 *
 *     class ContainerPort extends t.message('core/v1.ContainerPort', {
 *       name: t.string(1),                               // left out when empty
 *       hostPort: t.int32(2),
 *       containerPort: t.int32(3).required(),            // always written, required in OpenAPI
 *       protocol: t.string(4).default('TCP'),
 *     }) {}
 */

export interface MessageOptions<T> {
  readonly defaults?: (value: T) => void;
  readonly isAtomic?: boolean;
  readonly form?: MessageForm;
}

function flatten(members: readonly (readonly [string, FieldFacts])[]): ReadonlyMap<string, FieldFacts> {
  const fields = new Map<string, FieldFacts>();
  for (const [name, facts] of members) {
    if (!facts.isInline) {
      fields.set(name, facts);
    } else if (facts.type.is === 'message') {
      for (const [inner, innerFacts] of facts.type.message().fields) fields.set(inner, innerFacts);
    }
  }
  return fields;
}

/** Of two members with one number protobuf keeps the last alone. */
function refuseTwins(message: string, members: readonly (readonly [string, FieldFacts])[]): void {
  const names = new Map<number, string>();
  for (const [name, { no }] of members) {
    // 0: protobuf does not have it.
    const twin = no === 0 ? undefined : names.get(no);
    if (twin !== undefined) throw new Error(`${message}: ${twin} and ${name} have the same number, ${no}`);
    names.set(no, name);
  }
}

function message<const S extends Shape>(name: string, shape: S, options: MessageOptions<ValueOf<S>> = {}): MessageClass<ValueOf<S>> {
  const members = Object.entries(shape).map(([key, field]) => [key, field.facts] as const);
  refuseTwins(name, members);
  const isAtomic = options.isAtomic ?? false;
  let fields: ReadonlyMap<string, FieldFacts> | undefined;
  const type: MessageType = {
    name,
    members,
    get fields() {
      return (fields ??= flatten(members));
    },
    isAtomic,
    ...(options.form === undefined ? {} : { form: options.form }),
    ...(options.defaults === undefined ? {} : { defaults: options.defaults as (value: unknown) => void }),
  };
  return class {
    static readonly type = type;
  } as unknown as MessageClass<ValueOf<S>>;
}

const plain = { isPointer: false, isAlwaysWritten: false, isRequired: false, isInline: false } as const;

function scalarField<T>(scalar: Scalar<T>, isPointer: boolean): (no: number) => Field<T, 'optional', false> {
  const type: Type = { is: 'scalar', scalar };
  return (no) => new Field({ ...plain, no, type, isPointer });
}

const typeOf = <T>(of: MessageClass<T> | Scalar<T>): Type =>
  typeof of === 'function' ? { is: 'message', message: () => of.type } : { is: 'scalar', scalar: of };

type Item<C> = C extends MessageClass<infer T> ? T : C extends Scalar<infer T> ? T : never;
type Items = MessageClass<unknown> | Scalar<unknown>;

const merge = (listMerge: ListMerge | undefined): { readonly listMerge?: ListMerge } => (listMerge === undefined ? {} : { listMerge });

/** Field constructors. The number is the protobuf field number. */
export const t = {
  message,
  string: scalarField(stringScalar, false),
  bool: scalarField(boolScalar, false),
  int32: scalarField(int32Scalar, false),
  int64: scalarField(int64Scalar, false),
  double: scalarField(doubleScalar, false),
  /** Server-side apply treats bytes as one value in any case; `listMerge` only appears in OpenAPI. */
  bytes: (no: number, listMerge?: 'atomic'): Field<string, 'optional', false> =>
    new Field<string, 'optional', false>({ ...plain, no, type: { is: 'scalar', scalar: bytesScalar }, ...merge(listMerge) }),
  time: scalarField(timeScalar, false),
  microTime: scalarField(microTimeScalar, false),
  quantity: scalarField(quantityScalar, false),
  intOrString: scalarField(intOrStringScalar, false),
  rawObject: scalarField(rawObjectScalar, false),
  fieldsV1: scalarField(fieldsV1Scalar, true),
  json: scalarField(jsonScalar, true),
  /** Scalars for which absent and zero differ. */
  maybe: {
    string: scalarField(stringScalar, true),
    bool: scalarField(boolScalar, true),
    int32: scalarField(int32Scalar, true),
    int64: scalarField(int64Scalar, true),
    double: scalarField(doubleScalar, true),
    bytes: scalarField(bytesScalar, true),
    time: scalarField(timeScalar, true),
    microTime: scalarField(microTimeScalar, true),
    quantity: scalarField(quantityScalar, true),
    intOrString: scalarField(intOrStringScalar, true),
    rawObject: scalarField(rawObjectScalar, true),
    /** See `t.enum`. */
    enum: <const V extends string>(no: number, ..._values: readonly V[]): Field<V, 'optional', false> =>
      new Field({ ...plain, no, type: { is: 'scalar', scalar: stringScalar }, isPointer: true }),
  },
  /** A string whose values the kind's `validate` checks: decoding accepts any string. */
  enum: <const V extends string>(no: number, ..._values: readonly V[]): Field<V, 'optional', false> =>
    new Field({ ...plain, no, type: { is: 'scalar', scalar: stringScalar } }),
  /** A message that is always present: `{}` at least. */
  one: <T>(no: number, of: MessageClass<T>): Field<T, 'always', false> =>
    new Field<T, 'always', false>({ ...plain, no, type: typeOf(of) }),
  /** A message that may be absent. */
  perhaps: <T>(no: number, of: MessageClass<T>): Field<T, 'optional', true> =>
    new Field<T, 'optional', true>({ ...plain, no, type: typeOf(of), isPointer: true }),
  /** A message that refers to itself or to one declared later. */
  lazy: <T>(no: number, of: () => MessageClass<T>): Field<T, 'optional', true> =>
    new Field<T, 'optional', true>({ ...plain, no, type: { is: 'message', message: () => of().type }, isPointer: true }),
  /** A message whose fields are inlined in JSON; `no` 0 when in protobuf too. The name of this field does not matter. */
  inline: <T>(no: number, of: MessageClass<T>): Field<T, 'inline', false> =>
    new Field<T, 'inline', false>({ ...plain, no, type: typeOf(of), isInline: true }),
  many: <C extends Items>(no: number, of: C, listMerge?: ListMerge): Field<Item<C>[], 'optional', true> =>
    new Field<Item<C>[], 'optional', true>({ ...plain, no, type: { is: 'list', of: typeOf(of) }, ...merge(listMerge) }),
  manyLazy: <T>(no: number, of: () => MessageClass<T>, listMerge?: ListMerge): Field<T[], 'optional', true> =>
    new Field<T[], 'optional', true>({
      ...plain,
      no,
      type: { is: 'list', of: { is: 'message', message: () => of().type } },
      ...merge(listMerge),
    }),
  strings: (no: number, listMerge?: ListMerge): Field<string[], 'optional', true> =>
    new Field<string[], 'optional', true>({
      ...plain,
      no,
      type: { is: 'list', of: { is: 'scalar', scalar: stringScalar } },
      ...merge(listMerge),
    }),
  /** String keys. */
  map: <C extends Items>(no: number, of: C): Field<Record<string, Item<C>>, 'optional', true> =>
    new Field<Record<string, Item<C>>, 'optional', true>({ ...plain, no, type: { is: 'map', of: typeOf(of) } }),
  mapLazy: <T>(no: number, of: () => MessageClass<T>): Field<Record<string, T>, 'optional', true> =>
    new Field<Record<string, T>, 'optional', true>({
      ...plain,
      no,
      type: { is: 'map', of: { is: 'message', message: () => of().type } },
    }),
  /** String keys, lists of strings as values. */
  mapOfStrings: (no: number): Field<Record<string, string[]>, 'optional', true> =>
    new Field<Record<string, string[]>, 'optional', true>({
      ...plain,
      no,
      type: { is: 'map', of: { is: 'list', of: { is: 'scalar', scalar: stringScalar } } },
    }),
} as const;
