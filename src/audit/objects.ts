import { isJsonObject } from '#base';
import { DeleteOptions, ListMeta, objectTypeOf, StatusBody, type Catalog } from '#api';
import { bodyFormat, createProtobufCodec, parseJson, parseYaml, readEnvelope } from '#codec';
import { t, type MessageType } from '#schema';

/** Reads what clients send and get, whatever its format. `undefined`: it is no object, or cannot be read. Never throws. */
export type ReadObject = (contentType: string | undefined, bytes: Uint8Array) => unknown;

export function createObjectReader(catalog: Catalog): ReadObject {
  const protobuf = createProtobufCodec(catalog.brand);
  const readProtobuf = (bytes: Uint8Array): unknown => {
    const { apiVersion, kind } = readEnvelope(bytes);
    const type = typeOf(catalog, apiVersion, kind);
    return type === undefined ? undefined : protobuf.decode({ apiVersion, kind, type }, bytes, 'ignore').object;
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
      return parseJson(bytes);
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
  const plain = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (plain.endsWith('+json')) return 'json';
  if (plain.endsWith('+yaml')) return 'yaml';
  return bodyFormat(contentType, brand);
}

/** What requests and answers of every version may be. */
const COMMON: Readonly<Record<string, MessageType | undefined>> = { Status: StatusBody.type, DeleteOptions: DeleteOptions.type };

function typeOf(catalog: Catalog, apiVersion: string, kind: string): MessageType | undefined {
  const common = COMMON[kind];
  if (common !== undefined) return common;
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash === -1 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const item = schemaOf(catalog, group, version, kind);
  if (item !== undefined) return item;
  const carried = carriedType(catalog, group, version, kind);
  if (carried !== undefined) return carried;
  const ofItems = kind.endsWith('List') ? schemaOf(catalog, group, version, kind.slice(0, -4)) : undefined;
  return ofItems === undefined ? undefined : listOf(ofItems);
}

function schemaOf(catalog: Catalog, group: string, version: string, kind: string): MessageType | undefined {
  const served = catalog.findKind(group, kind)?.versions.find((one) => one.version === version);
  return served === undefined ? undefined : objectTypeOf(served.schema);
}

/** What travels to and from parts of objects, and is nowhere an object itself. */
function carriedType({ resources, brand }: Catalog, group: string, version: string, kind: string): MessageType | undefined {
  for (const resource of resources) {
    for (const { carries } of Object.values(resource.kind.subresources ?? {})) {
      if (carries?.schema === undefined || carries.kind !== kind || brand.group(carries.group) !== group) continue;
      if (carries.version === version || carries.alsoVersions?.includes(version) === true) return objectTypeOf(carries.schema);
    }
  }
  return undefined;
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

/** The same object, or every item of the same list, without who owns which field. The object given is changed. */
export function dropManagedFields(object: unknown): unknown {
  if (!isJsonObject(object)) return object;
  const { items } = object as { items?: unknown };
  for (const one of Array.isArray(items) ? [object, ...(items as unknown[])] : [object]) {
    const metadata = isJsonObject(one) ? one['metadata'] : undefined;
    if (isJsonObject(metadata)) delete (metadata as Record<string, unknown>)['managedFields'];
  }
  return object;
}
