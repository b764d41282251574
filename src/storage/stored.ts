import { parseJson } from '#base';
import type { ApiObject } from '#api';
import { StorageFailure, type Entry, type Key, type Revision } from './engine.ts';
import type { Stored } from './object-store.ts';
import { formatRevision } from './revision.ts';
import { isStale } from './stale-values.ts';

/** How objects of one kind become the bytes of an entry. Decoding is `parseJson`. */
export interface KindCodec<T extends ApiObject = ApiObject> {
  /** JSON without `metadata.resourceVersion`, beginning `{"kind":…,"apiVersion":…,"metadata":{`. A fresh array each time. */
  encode(object: T): Uint8Array;
  /** What field selectors can ask for beyond name and namespace. */
  select(object: T): Readonly<Record<string, string>>;
}

const MADE = Symbol('made');
const SOURCE = Symbol('source');

/**
 * The value of an entry that stands or stood, with what was made of it: everyone who reads an entry shares one `Stored`. Kept at the value itself:
 * weak maps of so many short-lived values are most of what collecting garbage would cost a write.
 */
interface Noted extends Uint8Array {
  [MADE]?: StoredEntry<ApiObject>;
  /** Until the entry is made. */
  [SOURCE]?: ApiObject | undefined;
}

const METADATA = Buffer.from('"metadata":{');
const CLOSING_BRACE = 0x7d;
const COMMA = 0x2c;
const LINE_END = 0x0a;
const NOTHING: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/** The object of an entry. The same value at the same revision gives the same `Stored` for as long as someone holds the value. */
export function createStored<T extends ApiObject>(entry: Entry, select: KindCodec<T>['select']): Stored<T> {
  const value: Noted = entry.value;
  const known = value[MADE];
  if (known?.revision === entry.revision && known.key === entry.key) return known as unknown as Stored<T>;
  const stored = new StoredEntry<T>(entry, select);
  value[MADE] = stored;
  const source = value[SOURCE];
  if (source !== undefined) {
    stored.keep(source as T);
    value[SOURCE] = undefined;
  }
  return stored;
}

/** What the bytes of an entry that is about to be were made of need not be read from them again. Nobody may change `object` any more. */
export const keepSource = (value: Uint8Array, object: ApiObject): void => void ((value as Noted)[SOURCE] = object);

/** Like `createStored` for states that no revision of their own stands for: a removed object, a dry-run (`revision` 0: none is shown). */
export function createShown<T extends ApiObject>(
  key: Key,
  value: Uint8Array,
  revision: Revision | 0,
  select: KindCodec<T>['select'],
): Stored<T> {
  return new StoredEntry<T>({ key, value, revision }, select);
}

/** The same state at a revision that is not its own: that of its removal. Only for what `createStored` made. */
export function shownAt<T extends ApiObject>(stored: Stored<T>, revision: Revision, select: KindCodec<T>['select']): Stored<T> {
  const entry = stored as StoredEntry<T>;
  const shown = new StoredEntry<T>({ key: entry.key, value: entry.value, revision }, select);
  const object = entry.decoded;
  if (object !== undefined) shown.keep(object);
  return shown;
}

/** The bytes in the store, without a resourceVersion. Only for what `createStored` made. */
export const valueOf = (stored: Stored): Uint8Array => (stored as StoredEntry<ApiObject>).value;

/** Whether an update that changes nothing is to write it all the same. Only for what `createStored` made. */
export const isOutdated = (stored: Stored): boolean => (stored as StoredEntry<ApiObject>).isStale;

/** How many bytes an entry keeps in memory, roughly. Makes nothing. Only for what `createStored` made. */
export const weightOf = (stored: Stored): number => (stored as StoredEntry<ApiObject>).byteLength;

class StoredEntry<T extends ApiObject> implements Stored<T> {
  readonly key: Key;
  readonly revision: Revision;
  readonly isStale: boolean;
  readonly #select: KindCodec<T>['select'];
  /** The bytes of the store; once somebody asked for `json`, that and no longer these: only one of the two stays in memory. */
  #bytes: Uint8Array;
  /** Where the version stands in `#bytes`; 0: it does not (yet). */
  #versionAt = 0;
  #encodings: Map<string, Uint8Array> | undefined = undefined;
  /** Weakly: bytes stay in memory for long, objects are several times as large and most are looked at once. */
  #object: WeakRef<T> | undefined = undefined;
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

  /** The object where it is at hand. */
  get decoded(): T | undefined {
    return this.#object?.deref();
  }

  get object(): T {
    const kept = this.#object?.deref();
    if (kept !== undefined) return kept;
    const object = decode<T>(this);
    this.#object = new WeakRef(object);
    return object;
  }

  keep(object: T): void {
    this.#object ??= new WeakRef(withRevision(object, this.revision));
  }

  get labels(): Readonly<Record<string, string>> {
    return (this.#labels ??= this.object.metadata.labels ?? NOTHING);
  }

  get fields(): Readonly<Record<string, string>> {
    return (this.#fields ??= selectable(this.object, this.#select));
  }
}

/** The object as its bytes give it: with the version first. */
function withRevision<T extends ApiObject>(object: T, revision: Revision): T {
  const resourceVersion = formatRevision(revision);
  const metadata = { resourceVersion, ...object.metadata };
  metadata.resourceVersion = resourceVersion;
  return { ...object, metadata };
}

function decode<T extends ApiObject>({ json, key }: Stored<T>): T {
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

/** Right behind the first `"metadata":{`; inside a string its quotes would be escaped. */
function versionPlace(value: Uint8Array, key: Key): number {
  const found = Buffer.from(value.buffer, value.byteOffset, value.length).indexOf(METADATA);
  if (found < 0) throw new StorageFailure('corrupt', `the entry ${key} has no metadata: restore a backup or delete it`);
  return found + METADATA.length;
}

const versionField = (revision: Revision, next: number | undefined): string =>
  `"resourceVersion":"${formatRevision(revision)}"${next === CLOSING_BRACE ? '' : ','}`;

/**
 * As a line, which an answer is. In memory of its own: a slice of Node's shared pool would keep its neighbours alive for as long as the entry
 * stands.
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
  // The version ends in a quote, and in a comma where more follows.
  const quoted = versionField(revision, CLOSING_BRACE).length;
  const length = json[at + quoted] === COMMA ? quoted + 1 : quoted;
  const value = new Uint8Array(json.length - length - 1);
  value.set(json.subarray(0, at), 0);
  value.set(json.subarray(at + length, -1), at);
  return value;
}
