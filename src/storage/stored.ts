import { parseJson } from '#base';
import type { ApiObject } from '#api';
import { StorageFailure, type Entry, type Key, type Revision } from './engine.ts';
import type { Stored } from './object-store.ts';
import { formatRevision } from './revision.ts';

/** How objects of one kind become the bytes of an entry. Decoding is `parseJson`. */
export interface KindCodec<T extends ApiObject = ApiObject> {
  /** JSON without `metadata.resourceVersion`, beginning `{"kind":…,"apiVersion":…,"metadata":{`. A fresh array each time. */
  encode(object: T): Uint8Array;
  /** What field selectors can ask for beyond name and namespace. */
  select(object: T): Readonly<Record<string, string>>;
}

/** Values of entries that stand or stood, and what was made of them: everyone who reads an entry shares one `Stored`. */
const made = new WeakMap<Uint8Array, StoredEntry<ApiObject>>();
const METADATA = Buffer.from('"metadata":{');
const CLOSING_BRACE = 0x7d;
const NOTHING: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/** The object of an entry. The same value at the same revision gives the same `Stored` for as long as someone holds the value. */
export function createStored<T extends ApiObject>(entry: Entry, select: KindCodec<T>['select']): Stored<T> {
  const known = made.get(entry.value);
  if (known?.revision === entry.revision && known.key === entry.key) return known as unknown as Stored<T>;
  const stored = new StoredEntry<T>(entry, select);
  made.set(entry.value, stored);
  return stored;
}

/** Like `createStored` for states that no revision of their own stands for: a removed object, a dry-run (`revision` 0: none is shown). */
export function createShown<T extends ApiObject>(
  key: Key,
  value: Uint8Array,
  revision: Revision | 0,
  select: KindCodec<T>['select'],
): Stored<T> {
  return new StoredEntry<T>({ key, value, revision }, select);
}

/** The bytes in the store, without a resourceVersion. Only for what `createStored` made. */
export const valueOf = (stored: Stored): Uint8Array => (stored as StoredEntry<ApiObject>).value;

class StoredEntry<T extends ApiObject> implements Stored<T> {
  readonly key: Key;
  readonly revision: Revision;
  readonly value: Uint8Array;
  readonly encodings = new Map<string, Uint8Array>();
  readonly #select: KindCodec<T>['select'];
  #json: Uint8Array | undefined = undefined;
  /** Weakly: bytes stay in memory for long, objects are several times as large and most are looked at once. */
  #object: WeakRef<T> | undefined = undefined;
  #labels: Readonly<Record<string, string>> | undefined = undefined;
  #fields: Readonly<Record<string, string>> | undefined = undefined;

  constructor({ key, value, revision }: Entry, select: KindCodec<T>['select']) {
    this.key = key;
    this.revision = revision;
    this.value = value;
    this.#select = select;
  }

  get json(): Uint8Array {
    return (this.#json ??= this.revision === 0 ? this.value : withRevision(this.value, this.revision, this.key));
  }

  get object(): T {
    const kept = this.#object?.deref();
    if (kept !== undefined) return kept;
    const object = decode<T>(this);
    this.#object = new WeakRef(object);
    return object;
  }

  get labels(): Readonly<Record<string, string>> {
    return (this.#labels ??= this.object.metadata.labels ?? NOTHING);
  }

  get fields(): Readonly<Record<string, string>> {
    return (this.#fields ??= selectable(this.object, this.#select));
  }
}

/** A copy of the object that its owner may change. */
export function decode<T extends ApiObject>({ json, key }: Stored<T>): T {
  try {
    return parseJson(json) as T;
  } catch (cause) {
    throw new StorageFailure('corrupt', `the entry ${key} is not JSON: restore a backup or delete it`, { cause });
  }
}

function selectable<T extends ApiObject>(object: T, select: KindCodec<T>['select']): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>;
  const { name, namespace } = object.metadata;
  fields['metadata.name'] = name ?? '';
  if (namespace !== undefined && namespace !== '') fields['metadata.namespace'] = namespace;
  return Object.assign(fields, select(object));
}

/** Puts `"resourceVersion":"N"` right behind the first `"metadata":{`; inside a string its quotes would be escaped. */
function withRevision(value: Uint8Array, revision: Revision, key: Key): Uint8Array {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  const found = bytes.indexOf(METADATA);
  if (found < 0) throw new StorageFailure('corrupt', `the entry ${key} has no metadata: restore a backup or delete it`);
  const at = found + METADATA.length;
  const field = `"resourceVersion":"${formatRevision(revision)}"${bytes[at] === CLOSING_BRACE ? '' : ','}`;
  const json = Buffer.allocUnsafe(bytes.length + field.length);
  bytes.copy(json, 0, 0, at);
  json.write(field, at, 'latin1');
  bytes.copy(json, at + field.length, at);
  return json;
}
