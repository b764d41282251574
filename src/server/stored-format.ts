import { isJsonObject, parseJson } from '#base';
import { applyDefaults } from '#schema';
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

/**
 * Opens objects as servers of Kubernetes keep them: as protobuf or JSON, in whatever version. Writes JSON, which those servers read as well.
 * Nothing is read before the first object, and what is in our own form already stays as it is.
 */
export function foreignFormats(brand: Brand): ValueForm {
  let known: Known | undefined;
  return {
    seal: (_, value) => value,
    open(key, kept) {
      known ??= learn(brand);
      try {
        return { value: toOwnForm(kept, known), isStale: false };
      } catch (cause) {
        throw new StorageFailure('corrupt', `the entry ${key} is neither JSON nor protobuf of a known kind: restore a backup or delete it`, { cause });
      }
    },
  };
}

interface Known {
  readonly catalog: Catalog;
  readonly protobuf: Codec;
  /** `apiVersion/kind` of what is to be brought to another version. */
  readonly outdated: ReadonlySet<string>;
}

function learn(brand: Brand): Known {
  const catalog = createCatalog(allKinds, brand);
  const outdated = catalog.resources.flatMap(({ kind, versions, storage }) =>
    versions.filter((served) => served.apiVersion !== storage.apiVersion).map(({ apiVersion }) => `${apiVersion}/${kind.kind}`),
  );
  return { catalog, protobuf: createProtobufCodec(brand), outdated: new Set(outdated) };
}

function toOwnForm(kept: Uint8Array, known: Known): Uint8Array {
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.length);
  if (PROTOBUF.compare(bytes, 0, Math.min(PROTOBUF.length, bytes.length)) === 0) return encodeForStorage(readProtobuf(bytes, known));
  const [, kind, apiVersion] = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? [];
  if (kind !== undefined && !known.outdated.has(`${apiVersion}/${kind}`)) return bytes.at(-1) === LINE_END ? bytes.subarray(0, -1) : kept;
  return encodeForStorage(toStorageVersion(readObject(bytes), known));
}

function readProtobuf(bytes: Buffer, known: Known): ApiObject {
  const { apiVersion, kind } = readEnvelope(bytes);
  const served = versionOf(apiVersion, kind, known);
  if (served === undefined) throw new TypeError(`there is no ${kind} in ${apiVersion}`);
  const expected = { apiVersion, kind, type: objectTypeOf(served.schema) };
  return toStorageVersion(known.protobuf.decode(expected, bytes, 'ignore').object, known);
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
