import type { Scalar } from './scalars/scalar.ts';
import type { Structural } from './structural/structural.ts';

/** The type of a field. */
export type Type =
  | { readonly is: 'scalar'; readonly scalar: Scalar }
  | { readonly is: 'message'; readonly message: () => MessageType }
  | { readonly is: 'list'; readonly of: Type }
  | { readonly is: 'map'; readonly of: Type };

/** How server-side apply treats a list or a map. */
export type ListMerge = 'atomic' | 'set' | { readonly map: readonly string[] };

/**
 * How a strategic merge patch treats a field. `key` identifies the items of a merged list; a merged list without key is a set of scalars.
 */
export interface PatchStrategy {
  readonly merge: boolean;
  readonly retainKeys: boolean;
  readonly key?: string;
}

/** All facts about one field of a message. */
export interface FieldFacts {
  /** Protobuf field number; 0: the field does not exist in protobuf. */
  readonly no: number;
  readonly type: Type;
  /** Absent and zero are different things (a pointer in the original). */
  readonly isPointer: boolean;
  /** Written even when empty. */
  readonly isAlwaysWritten: boolean;
  /** Listed as required in OpenAPI. */
  readonly isRequired: boolean;
  /** The fields of the message are inlined in JSON, but not in protobuf. */
  readonly isInline: boolean;
  /** The default: set where the field is absent after decoding; also published in OpenAPI. */
  readonly fallback?: unknown;
  readonly listMerge?: ListMerge;
  readonly isAtomicMap?: boolean;
  readonly patch?: PatchStrategy;
}

/** How a field is present; decides only its static type. */
export type Presence = 'optional' | 'always' | 'inline';

/** One member of a message, as declared. Its methods return a new field with one fact more. */
export class Field<T = unknown, P extends Presence = Presence, Nullable extends boolean = boolean> {
  readonly facts: FieldFacts;
  /** Only for type inference; has no run-time value. */
  declare readonly value: T;
  declare readonly presence: P;
  declare readonly nullable: Nullable;

  constructor(facts: FieldFacts) {
    this.facts = facts;
  }

  /** Always written, and required in OpenAPI. */
  required(): Field<T, 'always', Nullable> {
    return this.#with({ isRequired: true, isAlwaysWritten: true });
  }

  /** Always written, not required in OpenAPI. */
  always(): Field<T, 'always', Nullable> {
    return this.#with({ isAlwaysWritten: true });
  }

  /** An empty list or map is not the same as an absent one, as long as the request is being read. */
  keepEmpty(): Field<T, P, Nullable> {
    return this.#with({ isPointer: true });
  }

  default(fallback: T): Field<T, P, Nullable> {
    return this.#with({ fallback });
  }

  /** Strategic merge patch merges this list by `key`, or as a set without one. */
  mergeBy(key?: string): Field<T, P, Nullable> {
    return this.#with({ patch: { merge: true, retainKeys: this.facts.patch?.retainKeys ?? false, ...(key === undefined ? {} : { key }) } });
  }

  retainKeys(): Field<T, P, Nullable> {
    const before = this.facts.patch;
    return this.#with({ patch: { ...before, merge: before?.merge ?? false, retainKeys: true } });
  }

  /** Strategic merge patch replaces this field as a whole. */
  replaceWhole(): Field<T, P, Nullable> {
    return this.#with({ patch: { merge: false, retainKeys: false } });
  }

  atomicMap(): Field<T, P, Nullable> {
    return this.#with({ isAtomicMap: true });
  }

  #with<Q extends Presence>(more: Partial<FieldFacts>): Field<T, Q, Nullable> {
    return new Field<T, Q, Nullable>({ ...this.facts, ...more });
  }
}

/** A message type, as the functions derived from schemas use it. */
export interface MessageType {
  /** Package and name, as in `core/v1.Container`. */
  readonly name: string;
  /** Members in declaration order, inline ones as declared. */
  readonly members: readonly (readonly [name: string, facts: FieldFacts])[];
  /** Members by JSON name, inline ones flattened. */
  readonly fields: ReadonlyMap<string, FieldFacts>;
  /** Defaults that depend on other fields. Runs after the fixed defaults of this message and before those of its fields. */
  readonly defaults?: (value: unknown) => void;
  /** Server-side apply treats values of this message as one value. */
  readonly isAtomic: boolean;
  /** Where the JSON form of this message is not an object of its fields. */
  readonly form?: MessageForm;
  /** Set where the fields are known only at run time: whole objects of custom resources. */
  readonly open?: OpenMessage;
}

/** A message with another JSON form, as one that is either a schema or a boolean. Values are kept in their JSON form. */
export interface MessageForm {
  /** JSON form → fields. */
  spread(value: unknown): Record<string, unknown>;
  /** Fields in normal form → JSON form. */
  gather(members: Record<string, unknown>): unknown;
  /** What clients are told of a value that its fields do not take. Absent: which field does not. */
  readonly misfit?: string;
}

/** Which nulls are dropped where the schema does not take null. */
export interface NullChoice {
  /** Nulls that the schema refuses stay, so that validation reports them. */
  readonly keepsRefused?: boolean;
}

/** Takes the place of `members` where a schema is made at run time (custom resources). `members` then has only those of every object. */
export interface OpenMessage {
  readonly schema: Structural;
  /** Brings an object into normal form. Nulls that the schema does not take are dropped. Throws `DecodeFailure`. */
  decode(value: Record<string, unknown>, choice?: NullChoice): Record<string, unknown>;
  /** Paths of the members that `decode` drops, in the order of the document. Throws `DecodeFailure`. */
  unknownFields(value: Record<string, unknown>): readonly string[];
}

export interface MessageClass<T> {
  new (): T;
  readonly type: MessageType;
}
