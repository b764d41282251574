import { isJsonObject, parseJson } from '#base';
import { applyDefaults, type MessageType } from '#schema';
import { createCatalog, objectTypeOf, parseApiVersion, type ApiObject, type Brand, type Catalog, type KindDefinition } from '#api';
import { createProtobufCodec, readEnvelope, type Codec } from '#codec';
import { allKinds } from '#kinds';
import { encodeForStorage } from '#registry';
import { StorageFailure, type ValueForm } from '#storage';

/** What objects that other servers have stored as protobuf begin with. */
const PROTOBUF = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
/** What objects begin with that this server, or another one in the same form, has stored as JSON. */
const HEAD = /^\{"kind":"([^"\\]+)","apiVersion":"([^"\\]+)","metadata":\{/;
const HEAD_BYTES = 300;
const LINE_END = 0x0a;

/** How objects of built-in kinds are written. */
export type StorageFormat = 'json' | 'protobuf';

/** What a store may hold, and how it is to be written. */
export interface StoredObjects {
  /** Of the addresses that services can have, the default first. */
  readonly families: readonly string[];
  /** What is in another one is stale. Absent: JSON is written, and nothing is stale. */
  readonly format?: StorageFormat | undefined;
  /** Kinds beside the built-in ones, which older programs may have stored in other versions. They stay JSON. */
  readonly added?: readonly KindDefinition[];
}

/**
 * Opens objects in whatever format and version they were stored: servers of Kubernetes keep them as protobuf or JSON, and programs bring kinds
 * whose storage version was another one before. Writes JSON, which those servers read as well, unless it is told otherwise. Nothing is read before
 * the first object, and what is in our own form already stays as it is.
 */
export function anyStoredFormat(brand: Brand, { families, format, added = [] }: StoredObjects): ValueForm {
  let known: Known | undefined;
  return {
    seal: (_, value) => (format === 'protobuf' ? toProtobuf(value, (known ??= learn(brand, families, added))) : value),
    open(key, kept) {
      known ??= learn(brand, families, added);
      try {
        const value = toOwnForm(kept, known);
        const isStale = format === 'json' ? isProtobuf(kept) : format === 'protobuf' && !isProtobuf(kept) && protobufTypeOf(value, known) !== undefined;
        return { value, isStale };
      } catch (cause) {
        if (cause instanceof NewerVersion) throw new StorageFailure('corrupt', `the entry ${key} holds ${cause.message}: start the newer program that wrote it`);
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
  /** Whatever version objects of declared kinds may be in, by `apiVersion/kind`. */
  readonly forms: ReadonlyMap<string, Form>;
  /** Types of the versions that are stored, by `apiVersion/kind`, of those kinds that are written as protobuf where that is asked for. */
  readonly types: ReadonlyMap<string, MessageType>;
}

interface Form {
  readonly type: MessageType;
  /** What it is stored as. */
  readonly storage: string;
  readonly up?: ((object: ApiObject) => ApiObject) | undefined;
  readonly grown?: Growth | undefined;
}

/** Completes what was stored before a member was there. */
interface Growth {
  /** How the member begins in JSON. */
  readonly sign: string;
  /** Changes the object. */
  readonly fill: (object: ApiObject) => void;
}

/** Servers of Kubernetes keep the objects of these groups as JSON whatever they are told. */
const ALWAYS_JSON: ReadonlySet<string> = new Set(['apiextensions', 'apiregistration']);

function learn(brand: Brand, families: readonly string[], added: readonly KindDefinition[]): Known {
  const catalog = createCatalog([...allKinds, ...added], brand);
  const forms = catalog.resources.flatMap(({ kind, versions, retired, storage }) =>
    [...versions, ...retired].map(({ apiVersion, schema, up }) => [`${apiVersion}/${kind.kind}`, { type: objectTypeOf(schema), storage: storage.apiVersion, up, grown: growthOf(kind, families) }] as const),
  );
  const inProtobuf = catalog.resources.filter(({ kind }) => !ALWAYS_JSON.has(kind.group) && !added.includes(kind));
  const types = new Map(inProtobuf.map(({ kind, storage }) => [`${storage.apiVersion}/${kind.kind}`, objectTypeOf(storage.schema)]));
  return { catalog, protobuf: createProtobufCodec(brand), forms: new Map(forms), types };
}

function growthOf({ grown }: KindDefinition, families: readonly string[]): Growth | undefined {
  return grown && { sign: `"${grown.member}":`, fill: (object) => grown.fill(object, families) };
}

/** Custom resources stay JSON, and whatever else is no object of a built-in kind. */
function toProtobuf(value: Uint8Array, known: Known): Uint8Array {
  const type = protobufTypeOf(value, known);
  return type === undefined ? value : known.protobuf.encode(type, parseJson(value) as unknown as ApiObject);
}

function protobufTypeOf(value: Uint8Array, { types }: Known): MessageType | undefined {
  const [, kind, apiVersion] = HEAD.exec(asBuffer(value).toString('latin1', 0, HEAD_BYTES)) ?? [];
  return types.get(`${apiVersion}/${kind}`);
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const isProtobuf = (kept: Uint8Array): boolean => PROTOBUF.compare(kept, 0, Math.min(PROTOBUF.length, kept.length)) === 0;

function toOwnForm(kept: Uint8Array, known: Known): Uint8Array {
  const bytes = asBuffer(kept);
  if (isProtobuf(kept)) return encodeForStorage(readProtobuf(bytes, known));
  const [, kind, apiVersion] = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? [];
  const found = kind === undefined || apiVersion === undefined ? undefined : { apiVersion, form: formOf(apiVersion, kind, known) };
  const isOurs = found !== undefined && (found.form?.storage ?? found.apiVersion) === found.apiVersion;
  const isWhole = found?.form?.grown === undefined || bytes.includes(found.form.grown.sign);
  if (isOurs && isWhole) return bytes.at(-1) === LINE_END ? bytes.subarray(0, -1) : kept;
  const object = readObject(bytes);
  const form = formOf(object.apiVersion, object.kind, known);
  return encodeForStorage(form === undefined ? object : toStorageVersion(object, form));
}

function readProtobuf(bytes: Buffer, known: Known): ApiObject {
  const { apiVersion, kind } = readEnvelope(bytes);
  const form = formOf(apiVersion, kind, known);
  if (form === undefined) throw new TypeError(`there is no ${kind} in ${apiVersion}`);
  const expected = { apiVersion, kind, type: form.type };
  return toStorageVersion(known.protobuf.decode(expected, bytes), form);
}

/**
 * undefined: kinds that are declared nowhere, which are others' to judge and stay as they are. Throws `NewerVersion` for a kind that is known in
 * versions that are not.
 */
function formOf(apiVersion: string, kind: string, { forms, catalog }: Known): Form | undefined {
  const form = forms.get(`${apiVersion}/${kind}`);
  if (form !== undefined) return form;
  if (catalog.findKind(parseApiVersion(apiVersion).group, kind) !== undefined) throw new NewerVersion(`a ${kind} of ${apiVersion}, which this program does not know`);
  return undefined;
}

function readObject(bytes: Buffer): ApiObject {
  const object = parseJson(bytes);
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) throw new TypeError('this is no object');
  return object as unknown as ApiObject;
}

/** Changes the object. */
function toStorageVersion(object: ApiObject, { type, storage, up, grown }: Form): ApiObject {
  applyDefaults(type, object);
  const lifted = up?.(object) ?? object;
  lifted.apiVersion = storage;
  grown?.fill(lifted);
  return lifted;
}
