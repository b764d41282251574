import { isJsonObject, parseWrittenJson } from '#base';
import { applyDefaults, decode, DecodeFailure, type MessageType } from '#schema';
import { createCatalog, objectTypeOf, parseApiVersion, toStorageVersion, type ApiObject, type Brand, type Catalog, type KindDefinition, type Resource } from '#api';
import { createProtobufCodec, readEnvelope, type Codec } from '#codec';
import { allKinds, RangeAllocationBody, repairMetadata } from '#kinds';
import { encodeForStorage, encoderForStorage } from '#registry';
import { isEncrypted, noKeyFor, StorageFailure, type ValueTransformer } from '#storage';

/** The prefix of values that Kubernetes stores as protobuf. */
const PROTOBUF = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
/** The beginning of values that this server, or another in the same form, stored as JSON. */
const HEAD = /^\{"kind":"([^"\\]+)","apiVersion":"([^"\\]+)","metadata":\{/;
const HEAD_BYTES = 300;
/** The end of JSON that Kubernetes' servers stored, and only of theirs. */
const LINE_END = 0x0a;
/** The end of every object. What is cut off has none, and must not get into an answer as it is. */
const CLOSING_BRACE = 0x7d;
/** A member that no server stores. Where it stands all the same, as in what was put back from an answer, it comes before the other one, in the first bytes. */
const VERSION = '"resourceVersion":';
const BEHIND_VERSION = '"creationTimestamp":';
const VERSION_BYTES = 2048;

/** How objects of built-in kinds are written. */
export type StorageFormat = 'json' | 'protobuf';

/** What a store may contain, and the format to write. */
export interface StoredObjects {
  /** IP families of services, the default first. */
  readonly families: readonly string[];
  /** The format to write; values in another format are stale. Absent: JSON is written, and no value is stale. */
  readonly format?: StorageFormat | undefined;
  /** Kinds of the embedding program, which may have been stored in other versions. They stay JSON. */
  readonly added?: readonly KindDefinition[];
}

/**
 * Decodes objects in any format and version they were stored in: Kubernetes stores protobuf or JSON, and kinds of embedding programs may have had
 * other storage versions. Writes JSON, which Kubernetes reads as well, unless `format` says otherwise. Tables are built with the first object, and
 * values in this server's own form are passed through.
 */
export function anyStoredFormat(brand: Brand, { families, format, added = [] }: StoredObjects): ValueTransformer {
  let known: Known | undefined;
  return {
    toStorage: (_, value) => (format === 'protobuf' ? toProtobuf(value, (known ??= learn(brand, families, added))) : value),
    fromStorage(key, kept) {
      known ??= learn(brand, families, added);
      try {
        const value = toOwnForm(kept, known);
        const isStale = format === 'json' ? isProtobuf(kept) : format === 'protobuf' && !isProtobuf(kept) && protobufTypeOf(value, known) !== undefined;
        return { value, isStale };
      } catch (cause) {
        if (cause instanceof NewerVersion) throw new StorageFailure('corrupt', `the entry ${key} holds ${cause.message}: start the newer program that wrote it`);
        if (cause instanceof DecodeFailure) throw new StorageFailure('corrupt', `the entry ${key} is no object of its kind (${cause.message}): restore a backup or delete it`, { cause });
        if (isEncrypted(kept)) throw noKeyFor(key);
        throw new StorageFailure('corrupt', `the entry ${key} is neither JSON nor protobuf of a known kind: restore a backup or delete it`, { cause });
      }
    },
  };
}

/** An object of a declared kind in a version that does not exist yet. */
class NewerVersion extends Error {}

interface Known {
  readonly catalog: Catalog;
  readonly protobuf: Codec;
  /** The forms of declared kinds in all their versions, by `apiVersion/kind`. */
  readonly forms: ReadonlyMap<string, Form>;
  /** Message types of the storage versions of kinds that can be written as protobuf, by `apiVersion/kind`. */
  readonly types: ReadonlyMap<string, MessageType>;
}

interface Form {
  readonly type: MessageType;
  /** The storage version. */
  readonly storage: string;
  readonly up?: ((object: ApiObject) => ApiObject) | undefined;
  readonly grown?: Growth | undefined;
}

/** Fills in a field that older stored objects lack. */
interface Growth {
  /** The text by which the field is recognized in JSON. */
  readonly sign: string;
  /** Changes the object. */
  readonly fill: (object: ApiObject) => void;
}

/** What is stored without being a resource. */
const STORED_ONLY = [{ apiVersion: 'v1', kind: 'RangeAllocation', schema: RangeAllocationBody }];

/** Groups that Kubernetes stores as JSON whatever is configured. */
const ALWAYS_JSON: ReadonlySet<string> = new Set(['apiextensions', 'apiregistration']);

function learn(brand: Brand, families: readonly string[], added: readonly KindDefinition[]): Known {
  const catalog = createCatalog([...allKinds, ...added], brand);
  const formsOf = ({ kind, versions, retired, storage }: Resource): (readonly [string, Form])[] =>
    [...versions, ...retired].map(({ apiVersion, schema, up }) => [`${apiVersion}/${kind.kind}`, { type: objectTypeOf(schema), storage: storage.apiVersion, up, grown: growthOf(kind, families) }]);
  const unserved = STORED_ONLY.map(({ apiVersion, kind, schema }) => [`${apiVersion}/${kind}`, { type: objectTypeOf(schema), storage: apiVersion }] as const);
  const inProtobuf = catalog.resources.filter(({ kind }) => !ALWAYS_JSON.has(kind.group) && !added.includes(kind));
  const types = inProtobuf.map(({ kind, storage }) => [`${storage.apiVersion}/${kind.kind}`, objectTypeOf(storage.schema)] as const);
  return {
    catalog,
    protobuf: createProtobufCodec(brand),
    forms: new Map<string, Form>([...catalog.resources.flatMap(formsOf), ...unserved]),
    types: new Map([...types, ...unserved.map(([name, { type }]) => [name, type] as const)]),
  };
}

function growthOf({ grown }: KindDefinition, families: readonly string[]): Growth | undefined {
  return grown && { sign: `"${grown.member}":`, fill: (object) => grown.fill(object, families) };
}

/** Encodes a value as protobuf. Custom resources stay JSON, as does any value that is no object of a built-in kind. */
function toProtobuf(value: Uint8Array, known: Known): Uint8Array {
  const type = protobufTypeOf(value, known);
  return type === undefined ? value : known.protobuf.encode(type, parseWrittenJson(value) as unknown as ApiObject);
}

function protobufTypeOf(value: Uint8Array, { types }: Known): MessageType | undefined {
  const [, kind, apiVersion] = HEAD.exec(asBuffer(value).toString('latin1', 0, HEAD_BYTES)) ?? [];
  return types.get(`${apiVersion}/${kind}`);
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const isProtobuf = (kept: Uint8Array): boolean => PROTOBUF.compare(kept, 0, Math.min(PROTOBUF.length, kept.length)) === 0;

function toOwnForm(kept: Uint8Array, known: Known): Uint8Array {
  const bytes = asBuffer(kept);
  if (isProtobuf(kept)) return fromProtobuf(bytes, known);
  const [, kind, apiVersion] = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? [];
  const found = kind === undefined || apiVersion === undefined ? undefined : { apiVersion, form: formOf(apiVersion, kind, known) };
  const isOurs = found !== undefined && (found.form?.storage ?? found.apiVersion) === found.apiVersion;
  const isWhole = found?.form?.grown === undefined || bytes.includes(found.form.grown.sign);
  const isOfOthers = bytes.at(-1) === LINE_END;
  const hasEnd = bytes.at(isOfOthers ? -2 : -1) === CLOSING_BRACE;
  // Others may have stored null for what is absent, and not what has a default since.
  if (isOurs && isWhole && hasEnd && !hasVersion(bytes) && !(isOfOthers && found.form !== undefined)) return isOfOthers ? bytes.subarray(0, -1) : kept;
  const object = readObject(bytes);
  const form = formOf(object.apiVersion, object.kind, known);
  return form === undefined ? encodeForStorage(repaired(object)) : toOwnVersion(decode(form.type, object) as unknown as ApiObject, form);
}

/** A custom resource as others stored it, maybe before its metadata was checked, and counted how often it changed. */
function repaired(object: ApiObject): ApiObject {
  const metadata = repairMetadata(object.metadata) as unknown as ApiObject['metadata'];
  return { ...object, metadata: { ...metadata, generation: metadata.generation || 1 } };
}

/** Whether an object says itself at which revision it was: that would hide the one at which it is. */
function hasVersion(bytes: Buffer): boolean {
  const beginning = bytes.subarray(0, VERSION_BYTES);
  const at = beginning.indexOf(VERSION);
  if (at < 0) return false;
  const behind = beginning.indexOf(BEHIND_VERSION);
  return behind < 0 || at < behind;
}

function fromProtobuf(bytes: Buffer, known: Known): Uint8Array {
  const { apiVersion, kind } = readEnvelope(bytes);
  const form = formOf(apiVersion, kind, known);
  if (form === undefined) throw new TypeError(`there is no ${kind} in ${apiVersion}`);
  const expected = { apiVersion, kind, type: form.type };
  return toOwnVersion(known.protobuf.decode(expected, bytes), form);
}

/**
 * The form of a kind; undefined for kinds that are not declared, whose values stay as they are. Throws `NewerVersion` for a known kind in an unknown
 * version.
 */
function formOf(apiVersion: string, kind: string, { forms, catalog }: Known): Form | undefined {
  const form = forms.get(`${apiVersion}/${kind}`);
  if (form !== undefined) return form;
  if (catalog.findKind(parseApiVersion(apiVersion).group, kind) !== undefined) throw new NewerVersion(`a ${kind} of ${apiVersion}, which this program does not know`);
  return undefined;
}

function readObject(bytes: Buffer): ApiObject {
  const object = parseWrittenJson(bytes);
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) throw new TypeError('this is no object');
  return object as unknown as ApiObject;
}

/** An object in the storage version, as this server stores it. Changes `object`. */
function toOwnVersion(object: ApiObject, { type, storage, up, grown }: Form): Uint8Array {
  applyDefaults(type, object);
  const lifted = toStorageVersion({ up }, storage, object);
  grown?.fill(lifted);
  return encoderForStorage(type)(lifted);
}
