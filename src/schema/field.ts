import type { Scalar } from './scalars/scalar.ts';
import type { Structural } from './structural/structural.ts';

/** What a member holds. */
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

/** Everything known about one member of a message. */
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
  /** The members of the message stand beside the other members in JSON, and apart in protobuf. */
  readonly isInline: boolean;
  /** Set where the field is absent after decoding; also published in OpenAPI. */
  readonly fallback?: unknown;
  readonly listMerge?: ListMerge;
  readonly isAtomicMap?: boolean;
  readonly patch?: PatchStrategy;
}

/** How a field is present: decides its static type only. */
export type Presence = 'optional' | 'always' | 'inline';

export class Field<T = unknown, P extends Presence = Presence, Nullable extends boolean = boolean> {
  readonly facts: FieldFacts;
  /** Only for inference; these have no run-time value. */
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

  /** Required in OpenAPI, yet left out when empty. */
  requiredIfSet(): Field<T, P, Nullable> {
    return this.#with({ isRequired: true });
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

  /** Strategic merge patch replaces this member as a whole. */
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

/** A message as the derived functions see it. */
export interface MessageType {
  /** Package and name, as in `core/v1.Container`. */
  readonly name: string;
  /** Members in declaration order, inline ones as declared. */
  readonly members: readonly (readonly [name: string, facts: FieldFacts])[];
  /** Members by JSON name, inline ones flattened. */
  readonly fields: ReadonlyMap<string, FieldFacts>;
  /** Fills what depends on other fields. Runs after the fixed defaults of this message and before those of its members. */
  readonly defaults?: (value: unknown) => void;
  /** Apply treats values of this message as one piece. */
  readonly isAtomic: boolean;
  /** Where the JSON of this message is not an object of its members. */
  readonly form?: MessageForm;
  /** Set where members are known at run time only: whole objects of custom resources. */
  readonly open?: OpenMessage;
}

/** A message that JSON writes in a shorter way, as one that is either a schema or a boolean. Values are kept as JSON writes them. */
export interface MessageForm {
  /** JSON → the members. */
  spread(value: unknown): Record<string, unknown>;
  /** The members, in normal form → JSON. */
  gather(members: Record<string, unknown>): unknown;
}

/** Which nulls without a place go. */
export interface NullChoice {
  /** Those that the schema refuses are left, to be told. */
  readonly keepsRefused?: boolean;
}

/** What takes the place of `members` where a schema is made at run time. `members` then are those that every object has. */
export interface OpenMessage {
  readonly schema: Structural;
  /** Brings an object into normal form. Nulls that have no place go. Throws `DecodeFailure`. */
  decode(value: Record<string, unknown>, choice?: NullChoice): Record<string, unknown>;
  /** Paths of members that are dropped then, in the order of the document. Throws `DecodeFailure`. */
  unknownFields(value: Record<string, unknown>): readonly string[];
}

export interface MessageClass<T> {
  new (): T;
  readonly type: MessageType;
}
