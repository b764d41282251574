import { parseWrittenJson } from '#base';
import type { ApiObject } from '#api';
import { isEncrypted, noKeyFor } from './encryption/provider.ts';
import type { Entry, Key, Revision } from './entry.ts';
import { LastWrites, type ObjectHolder } from './last-writes.ts';
import type { Stored } from './object-store.ts';
import { formatRevision } from './revision.ts';
import { isStale } from './stale-values.ts';
import { StorageFailure } from './storage-failure.ts';

/** How objects of one kind are encoded into the value of an entry. Decoding is `parseWrittenJson`. */
export interface KindCodec<T extends ApiObject = ApiObject> {
  /** JSON without `metadata.resourceVersion`, beginning `{"kind":…,"apiVersion":…,"metadata":{`. A fresh array each time. */
  encode(object: T): Uint8Array;
  /** The fields, beside name and namespace, that field selectors of this kind can use. */
  select(object: T): Readonly<Record<string, string>>;
}

const STORED = Symbol('made');
const SOURCE = Symbol('source');

/**
 * The value of an entry, with the `Stored` made from it, which all readers of the entry share. It is a property of the array itself and not in a weak
 * map: with so many short-lived values, weak maps would be most of the garbage collection that a write costs.
 */
interface ValueWithStored extends Uint8Array {
  [STORED]?: StoredEntry<ApiObject>;
  /** The object that the value was encoded from; until the `Stored` is made. */
  [SOURCE]?: ApiObject | undefined;
}

const METADATA = Buffer.from('"metadata":{');
const CLOSING_BRACE = 0x7d;
const COMMA = 0x2c;
const LINE_END = 0x0a;
const NO_STRINGS: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/** The `Stored` of an entry. The same value array at the same revision gives the same `Stored` for as long as the array is referenced. */
export function createStored<T extends ApiObject>(entry: Entry, select: KindCodec<T>['select']): Stored<T> {
  const value: ValueWithStored = entry.value;
  const known = value[STORED];
  if (known?.revision === entry.revision && known.key === entry.key) return known as unknown as Stored<T>;
  const stored = new StoredEntry<T>(entry, select);
  value[STORED] = stored;
  const source = value[SOURCE];
  if (source !== undefined) {
    stored.keep(source as T);
    value[SOURCE] = undefined;
  }
  return stored;
}

/** Remembers the object that `value` was encoded from, so that the entry need not be decoded. `object` must not be changed afterwards. */
export const keepSource = (value: Uint8Array, object: ApiObject): void => void ((value as ValueWithStored)[SOURCE] = object);

/** Like `createStored`, but not shared: for states that have no commit of their own, as of a removal or a dry-run (`revision` 0: no resourceVersion). */
export function createUnshared<T extends ApiObject>(
  key: Key,
  value: Uint8Array,
  revision: Revision | 0,
  select: KindCodec<T>['select'],
): Stored<T> {
  return new StoredEntry<T>({ key, value, revision }, select);
}

/** The same state with another revision as its resourceVersion: that of its removal. Only for what `createStored` returned. */
export function atRevision<T extends ApiObject>(stored: Stored<T>, revision: Revision, select: KindCodec<T>['select']): Stored<T> {
  const entry = stored as StoredEntry<T>;
  const shown = new StoredEntry<T>({ key: entry.key, value: entry.value, revision }, select);
  const object = entry.decoded;
  if (object !== undefined) shown.keep(object);
  return shown;
}

/** The value of the entry, without a resourceVersion. Only for what `createStored` returned. */
export const valueOf = (stored: Stored): Uint8Array => (stored as StoredEntry<ApiObject>).value;

/** Whether an update that changes nothing must write the object all the same (`isStale`). Only for what `createStored` returned. */
export const isOutdated = (stored: Stored): boolean => (stored as StoredEntry<ApiObject>).isStale;

/** Roughly how many bytes of memory the JSON of an object takes. Decodes and encodes nothing. Only for what `createStored` returned. */
export const weightOf = (stored: Stored): number => (stored as StoredEntry<ApiObject>).byteLength;

/**
 * Enough for a hot set of objects that are written again and again, and few beside the 100 to 300 writes between two collections of young objects: where
 * most objects live through one, V8 allocates all that is like them among the old ones.
 */
const MAX_LAST_WRITES = 48;
const MAX_LAST_WRITES_BYTES = 128 * 1024;
const lastWrites = new LastWrites(MAX_LAST_WRITES, MAX_LAST_WRITES_BYTES);

class StoredEntry<T extends ApiObject> implements Stored<T>, ObjectHolder {
  readonly key: Key;
  readonly revision: Revision;
  readonly isStale: boolean;
  readonly #select: KindCodec<T>['select'];
  /** The value of the entry, or, once `json` was read, that JSON: only one of the two stays in memory. */
  #bytes: Uint8Array;
  /** The offset of the resourceVersion in `#bytes`; 0: it is not in there (yet). */
  #versionAt = 0;
  #encodings: Map<string, Uint8Array> | undefined = undefined;
  /** The object that was written, while this is one of the last writes. */
  #written: T | undefined = undefined;
  /** Weak, because bytes stay in memory for long, while decoded objects are several times as large and most are used once. */
  #decoded: WeakRef<T> | undefined = undefined;
  #labels: Readonly<Record<string, string>> | undefined = undefined;
  #fields: Readonly<Record<string, string>> | undefined = undefined;

  constructor({ key, value, revision }: Entry, select: KindCodec<T>['select']) {
    this.key = key;
    this.revision = revision;
    this.#bytes = value;
    this.isStale = isStale(value);
    this.#select = select;
  }

  get json(): Uint8Array {
    if (this.#versionAt === 0 && this.revision !== 0) {
      const at = versionPlace(this.#bytes, this.key);
      this.#bytes = withVersion(this.#bytes, at, this.revision);
      this.#versionAt = at;
    }
    return this.#bytes;
  }

  get value(): Uint8Array {
    return this.#versionAt === 0 ? this.#bytes : withoutVersion(this.#bytes, this.#versionAt, this.revision);
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  get encodings(): Map<string, Uint8Array> {
    return (this.#encodings ??= new Map());
  }

  /** The decoded object, if it is in memory. */
  get decoded(): T | undefined {
    return this.#written ?? this.#decoded?.deref();
  }

  get object(): T {
    const known = this.decoded;
    if (known !== undefined) return known;
    const object = decode<T>(this);
    this.#decoded = new WeakRef(object);
    return object;
  }

  keep(object: T): void {
    if (this.decoded !== undefined) return;
    this.#written = withRevision(object, this.revision);
    lastWrites.add(this, this.byteLength);
  }

  forgetObject(): void {
    this.#written = undefined;
  }

  get labels(): Readonly<Record<string, string>> {
    return (this.#labels ??= this.object.metadata.labels ?? NO_STRINGS);
  }

  get fields(): Readonly<Record<string, string>> {
    return (this.#fields ??= selectable(this.object, this.#select));
  }
}

/** The object as decoding its JSON would give it: with the resourceVersion first. */
function withRevision<T extends ApiObject>(object: T, revision: Revision): T {
  const resourceVersion = formatRevision(revision);
  const metadata = { resourceVersion, ...object.metadata };
  metadata.resourceVersion = resourceVersion;
  // Assigned, not named after the spread: to define a member is several times slower where objects have many shapes.
  const written = { ...object };
  written.metadata = metadata;
  return written;
}

function decode<T extends ApiObject>({ json, key }: Stored<T>): T {
  try {
    return parseWrittenJson(json) as T;
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

/** The offset after the first `"metadata":{`. It cannot be a part of a string: there the quotes would be escaped. */
function versionPlace(value: Uint8Array, key: Key): number {
  const found = Buffer.from(value.buffer, value.byteOffset, value.length).indexOf(METADATA);
  if (found < 0) throw noObject(value, key);
  return found + METADATA.length;
}

function noObject(value: Uint8Array, key: Key): StorageFailure {
  return isEncrypted(value) ? noKeyFor(key) : new StorageFailure('corrupt', `the entry ${key} has no metadata: restore a backup or delete it`);
}

const versionField = (revision: Revision, next: number | undefined): string =>
  `"resourceVersion":"${formatRevision(revision)}"${next === CLOSING_BRACE ? '' : ','}`;

/**
 * Inserts the resourceVersion and appends the line feed that responses end with. Allocated outside of Node's buffer pool: a slice of the pool would
 * keep the whole pool alive for as long as the entry exists.
 */
function withVersion(value: Uint8Array, at: number, revision: Revision): Uint8Array {
  const field = versionField(revision, value[at]);
  const json = Buffer.allocUnsafeSlow(value.length + field.length + 1);
  json.set(value.subarray(0, at), 0);
  json.write(field, at, 'latin1');
  json.set(value.subarray(at), at + field.length);
  json[json.length - 1] = LINE_END;
  return json;
}

function withoutVersion(json: Uint8Array, at: number, revision: Revision): Uint8Array {
  // The field ends in a quote, followed by a comma where other fields follow.
  const quoted = versionField(revision, CLOSING_BRACE).length;
  const length = json[at + quoted] === COMMA ? quoted + 1 : quoted;
  const value = new Uint8Array(json.length - length - 1);
  value.set(json.subarray(0, at), 0);
  value.set(json.subarray(at + length, -1), at);
  return value;
}
