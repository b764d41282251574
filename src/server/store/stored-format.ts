import { isJsonObject, parseJson } from '#base';
import { applyDefaults, type MessageType } from '#schema';
import { createCatalog, objectTypeOf, type ApiObject, type Brand, type Catalog } from '#api';
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

/**
 * Opens objects as servers of Kubernetes keep them: as protobuf or JSON, in whatever version. Writes JSON, which those servers read as well,
 * unless it is told otherwise. Nothing is read before the first object, and what is in our own form already stays as it is. What a given
 * format would write otherwise is stale.
 */
export function foreignFormats(brand: Brand, format?: StorageFormat): ValueForm {
  let known: Known | undefined;
  return {
    seal: (_, value) => (format === 'protobuf' ? toProtobuf(value, (known ??= learn(brand))) : value),
    open(key, kept) {
      known ??= learn(brand);
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

/** An object of a built-in kind in a version that does not exist yet. */
class NewerVersion extends Error {}

interface Known {
  readonly catalog: Catalog;
  readonly protobuf: Codec;
  /** `apiVersion/kind` of what is to be brought to another version. */
  readonly outdated: ReadonlySet<string>;
  /** `apiVersion/kind` of what stays as it is. */
  readonly current: ReadonlySet<string>;
  /** Types of the versions that are stored, by `apiVersion/kind`, of those kinds that are written as protobuf where that is asked for. */
  readonly types: ReadonlyMap<string, MessageType>;
}

/** Servers of Kubernetes keep the objects of these groups as JSON whatever they are told. */
const ALWAYS_JSON: ReadonlySet<string> = new Set(['apiextensions', 'apiregistration']);

function learn(brand: Brand): Known {
  const catalog = createCatalog(allKinds, brand);
  const outdated = catalog.resources.flatMap(({ kind, versions, storage }) =>
    versions.filter((served) => served.apiVersion !== storage.apiVersion).map(({ apiVersion }) => `${apiVersion}/${kind.kind}`),
  );
  const current = catalog.resources.map(({ kind, storage }) => `${storage.apiVersion}/${kind.kind}`);
  const inProtobuf = catalog.resources.filter(({ kind }) => !ALWAYS_JSON.has(kind.group));
  const types = new Map(inProtobuf.map(({ kind, storage }) => [`${storage.apiVersion}/${kind.kind}`, objectTypeOf(storage.schema)]));
  return { catalog, protobuf: createProtobufCodec(brand), outdated: new Set(outdated), current: new Set(current), types };
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
  if (kind !== undefined && apiVersion !== undefined) refuseNewer(apiVersion, kind, known);
  if (kind !== undefined && !known.outdated.has(`${apiVersion}/${kind}`)) return bytes.at(-1) === LINE_END ? bytes.subarray(0, -1) : kept;
  return encodeForStorage(toStorageVersion(readObject(bytes), known));
}

function readProtobuf(bytes: Buffer, known: Known): ApiObject {
  const { apiVersion, kind } = readEnvelope(bytes);
  refuseNewer(apiVersion, kind, known);
  const served = versionOf(apiVersion, kind, known);
  if (served === undefined) throw new TypeError(`there is no ${kind} in ${apiVersion}`);
  const expected = { apiVersion, kind, type: objectTypeOf(served.schema) };
  return toStorageVersion(known.protobuf.decode(expected, bytes, 'ignore').object, known);
}

/** Throws `NewerVersion` for a kind that is known in versions that are not. Kinds that are not built in are others' to judge. */
function refuseNewer(apiVersion: string, kind: string, known: Known): void {
  const name = `${apiVersion}/${kind}`;
  if (known.current.has(name) || known.outdated.has(name)) return;
  if (resourceOf(apiVersion, kind, known) !== undefined) throw new NewerVersion(`a ${kind} of ${apiVersion}, which this program does not know`);
}

function readObject(bytes: Buffer): ApiObject {
  const object = parseJson(bytes);
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) throw new TypeError('this is no object');
  return object as unknown as ApiObject;
}

/** Kinds that are not built in stay as they are. Changes the object. */
function toStorageVersion(object: ApiObject, known: Known): ApiObject {
  const { apiVersion, kind } = object;
  const served = versionOf(apiVersion, kind, known);
  const resource = resourceOf(apiVersion, kind, known);
  if (served === undefined || resource === undefined) return object;
  applyDefaults(objectTypeOf(served.schema), object);
  const lifted = served.up?.(object) ?? object;
  lifted.apiVersion = resource.storage.apiVersion;
  return lifted;
}

const resourceOf = (apiVersion: string, kind: string, { catalog }: Known): ReturnType<Catalog['findKind']> =>
  catalog.findKind(apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.lastIndexOf('/')) : '', kind);

const versionOf = (apiVersion: string, kind: string, known: Known): Catalog['resources'][number]['versions'][number] | undefined =>
  resourceOf(apiVersion, kind, known)?.versions.find((served) => served.apiVersion === apiVersion);
