import { isJsonObject, parseWrittenJson } from '#base';
import { DeleteOptions, ListMeta, objectTypeOf, parseApiVersion, StatusBody, type Brand, type Catalog } from '#api';
import { bareMediaType, bodyFormat, createProtobufCodec, parseYaml, readEnvelope } from '#codec';
import { t, type MessageType } from '#schema';

/** Parses request and response bodies in any media type. `undefined`: the body is no object, or malformed. Never throws. */
export type ReadObject = (contentType: string | undefined, bytes: Uint8Array) => unknown;

/** A reader for all kinds of the catalog, and the common messages of every version. */
export function createObjectReader(catalog: Catalog): ReadObject {
  const protobuf = createProtobufCodec(catalog.brand);
  const readProtobuf = (bytes: Uint8Array): unknown => {
    const { apiVersion, kind } = readEnvelope(bytes);
    const type = typeOf(catalog, apiVersion, kind);
    return type === undefined ? undefined : protobuf.decode({ apiVersion, kind, type }, bytes);
  };
  return (contentType, bytes) => {
    if (bytes.length === 0) return undefined;
    try {
      return parse(formatOf(contentType, catalog), bytes, readProtobuf);
    } catch {
      return undefined;
    }
  };
}

function parse(format: string | undefined, bytes: Uint8Array, readProtobuf: (bytes: Uint8Array) => unknown): unknown {
  switch (format) {
    case 'json':
      return parseWrittenJson(bytes);
    case 'yaml':
      return parseYaml(bytes);
    case 'protobuf':
      return readProtobuf(bytes);
    default:
      return undefined;
  }
}

/** Patches have content types of their own. */
function formatOf(contentType: string | undefined, { brand }: Catalog): string | undefined {
  const plain = bareMediaType(contentType ?? '').toLowerCase();
  if (plain.endsWith('+json')) return 'json';
  if (plain.endsWith('+yaml')) return 'yaml';
  return bodyFormat(contentType, brand);
}

/** Kinds that requests and responses of every version may carry. */
const COMMON: Readonly<Record<string, MessageType | undefined>> = { Status: StatusBody.type, DeleteOptions: DeleteOptions.type };

function typeOf(catalog: Catalog, apiVersion: string, kind: string): MessageType | undefined {
  const common = COMMON[kind];
  if (common !== undefined) return common;
  const { group, version } = parseApiVersion(apiVersion);
  const item = schemaOf(catalog, group, version, kind);
  if (item !== undefined) return item;
  const ofPart = carriedType(catalog, group, version, kind);
  if (ofPart !== undefined) return ofPart;
  const ofItems = kind.endsWith('List') ? schemaOf(catalog, group, version, kind.slice(0, -4)) : undefined;
  return ofItems === undefined ? undefined : listOf(ofItems);
}

function schemaOf(catalog: Catalog, group: string, version: string, kind: string): MessageType | undefined {
  const served = catalog.findKind(group, kind)?.versions.find((one) => one.version === version);
  return served === undefined ? undefined : objectTypeOf(served.schema);
}

/** Message types that only subresources use, which are no kind of the catalog. */
function carriedType({ resources, brand }: Catalog, group: string, version: string, kind: string): MessageType | undefined {
  let types = carried.get(resources);
  if (types === undefined) carried.set(resources, (types = carriedTypes(resources, brand)));
  return types.get(`${group}/${version}/${kind}`);
}

/** By group, version and kind, per list of resources: events look them up one by one. */
const carried = new WeakMap<Catalog['resources'], ReadonlyMap<string, MessageType>>();

function carriedTypes(resources: Catalog['resources'], brand: Brand): ReadonlyMap<string, MessageType> {
  const types = new Map<string, MessageType>();
  for (const { kind } of resources) {
    for (const { carries } of Object.values(kind.subresources ?? {})) {
      if (carries?.schema === undefined) continue;
      const type = objectTypeOf(carries.schema);
      for (const version of [carries.version, ...(carries.alsoVersions ?? [])]) types.set(`${brand.group(carries.group)}/${version}/${carries.kind}`, type);
    }
  }
  return types;
}

const lists = new WeakMap<MessageType, MessageType>();

function listOf(item: MessageType): MessageType {
  let list = lists.get(item);
  if (list === undefined) {
    class Item extends t.message(item.name, {}) {
      static override readonly type = item;
    }
    class List extends t.message(`${item.name}List`, {
      kind: t.string(0),
      apiVersion: t.string(0),
      metadata: t.one(1, ListMeta),
      items: t.many(2, Item),
    }) {}
    list = List.type;
    lists.set(item, list);
  }
  return list;
}

/** Removes `managedFields` from an object, from every item of a list, or from every object of a Table, in place. */
export function dropManagedFields(object: unknown): unknown {
  for (const one of [object, ...heldBy(object)]) {
    const metadata = isJsonObject(one) ? one['metadata'] : undefined;
    if (isJsonObject(metadata)) delete metadata['managedFields'];
  }
  return object;
}

/** The items of a list, or the objects in the rows of a Table. */
function heldBy(object: unknown): readonly unknown[] {
  if (!isJsonObject(object)) return [];
  const { kind, items, rows } = object;
  if (Array.isArray(items)) return items;
  return kind === 'Table' && Array.isArray(rows) ? rows.map((row) => (isJsonObject(row) ? row['object'] : undefined)) : [];
}
