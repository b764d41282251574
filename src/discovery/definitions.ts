import {
  APIGroup,
  APIGroupList,
  APIResourceList,
  APIVersions,
  DeleteOptions,
  listKindOf,
  ListMeta,
  objectTypeOf,
  StatusBody,
  type Catalog,
  type KindDefinition,
  type Resource,
  type ServedVersion,
} from '#api';
import { openapiDefinitions, openapiName, t, type MessageType, type OpenapiDefinitions, type OpenapiSchema } from '#schema';
import { REGISTERED } from './registered-versions.table.ts';

const word = t.string(0).required();

/** The response of `/version`. */
class VersionMessage extends t.message('version.Info', {
  major: word,
  minor: word,
  gitVersion: word,
  gitCommit: word,
  gitTreeState: word,
  buildDate: word,
  goVersion: word,
  compiler: word,
  platform: word,
}) {}

class WatchEvent extends t.message('apis/meta/v1.WatchEvent', {
  type: t.string(1).required(),
  object: t.rawObject(2).required(),
}) {}

/** Any of the patch formats. */
class Patch extends t.message('apis/meta/v1.Patch', {}) {}

/** Messages that paths refer to, beside the kinds. */
export const PATH_MESSAGES = { APIGroup, APIGroupList, APIResourceList, APIVersions, DeleteOptions, Patch, StatusBody, VersionMessage, WatchEvent } as const;

export interface GroupVersionKind {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

/** The name of a kind's list message: that of the kind, with another last segment. */
export function listNameOf(kind: KindDefinition, served: ServedVersion): string {
  const { name } = served.schema.type;
  return kind.listKind === undefined ? `${name}List` : name.slice(0, name.length - kind.kind.length) + kind.listKind;
}

/** The message of a list of this kind. */
function listTypeOf(kind: KindDefinition, served: ServedVersion): MessageType {
  const members: MessageType['members'] = [
    ['kind', t.string(0).facts],
    ['apiVersion', t.string(0).facts],
    ['metadata', t.one(1, ListMeta).facts],
    ['items', { ...t.strings(2, served.itemsMerge).required().facts, type: { is: 'list', of: { is: 'message', message: () => objectTypeOf(served.schema) } } }],
  ];
  return { name: listNameOf(kind, served), members, fields: new Map(members), isAtomic: false };
}

const canList = ({ kind }: Resource): boolean => kind.verbs?.includes('list') ?? true;

/** What documents are made of: the resources as they were when the making began, as it takes several turns of the event loop. */
export type Published = Pick<Catalog, 'brand' | 'resources'>;

/** Definitions of all served messages, and of those they refer to. */
export async function buildDefinitions(catalog: Published): Promise<OpenapiDefinitions> {
  const kinds = new Map<string, GroupVersionKind[]>();
  const servedKinds = new Set(catalog.resources.map(({ group, kind }) => `${group}/${kind.kind}`));
  const types: MessageType[] = Object.values(PATH_MESSAGES).map(({ type }) => type);
  const add = (type: MessageType, of: GroupVersionKind): void => {
    const name = openapiName(type.name);
    types.push(type);
    kinds.set(name, [...(kinds.get(name) ?? []), of]);
  };
  for (const resource of catalog.resources) {
    const { group, kind } = resource;
    for (const served of resource.versions) {
      const { version } = served;
      add(objectTypeOf(served.schema), { group, kind: kind.kind, version });
      if (canList(resource)) add(listTypeOf(kind, served), { group, kind: listKindOf(kind), version });
    }
    for (const { carries } of Object.values(kind.subresources ?? {})) {
      if (carries?.schema === undefined || servedKinds.has(`${catalog.brand.group(carries.group)}/${carries.kind}`) || kinds.has(openapiName(carries.schema.type.name))) continue;
      add(objectTypeOf(carries.schema), { group: catalog.brand.group(carries.group), kind: carries.kind, version: carries.version });
    }
  }
  for (const [type, kind] of EVERYWHERE) for (const of of groupVersions(catalog)) add(type, { ...of, kind });
  for (const [kind, { type }] of Object.entries(CORE_DOCUMENTS)) add(type, { group: '', kind, version: 'v1' });
  return withoutTypes(catalog, withKinds(await openapiDefinitions(types), kinds));
}

/** Lists of custom resources do not state the type `object`. */
function withoutTypes({ resources }: Published, definitions: OpenapiDefinitions): OpenapiDefinitions {
  const changed: Record<string, OpenapiSchema> = {};
  for (const { kind, versions } of resources) {
    if (kind.isCustom !== true) continue;
    for (const served of versions) {
      const name = openapiName(listNameOf(kind, served));
      const list = definitions[name];
      if (list === undefined) continue;
      const { type: _, ...schema } = list;
      changed[name] = schema;
    }
  }
  return { ...definitions, ...changed };
}

/** Responses that are no objects, but have a kind. */
const CORE_DOCUMENTS = { APIGroup, APIGroupList, APIResourceList, APIVersions, Status: StatusBody } as const;

/** Registered in every group and version. */
const EVERYWHERE: readonly (readonly [MessageType, kind: string])[] = [
  [DeleteOptions.type, 'DeleteOptions'],
  [WatchEvent.type, 'WatchEvent'],
];

/** Built-in group-versions, sorted by name. */
function groupVersions({ brand, resources }: Published): readonly { readonly group: string; readonly version: string }[] {
  const found = new Map<string, { readonly group: string; readonly version: string }>([[' v1', { group: '', version: 'v1' }]]);
  for (const [neutral, ...versions] of REGISTERED) {
    const group = brand.group(neutral);
    for (const version of versions) found.set(`${group} ${version}`, { group, version });
  }
  for (const { group, versions, kind } of resources) if (kind.isCustom !== true) for (const { version } of versions) found.set(`${group} ${version}`, { group, version });
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, groupVersion]) => groupVersion);
}

function withKinds(definitions: OpenapiDefinitions, kinds: ReadonlyMap<string, readonly GroupVersionKind[]>): OpenapiDefinitions {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]): [string, OpenapiSchema] => {
      const of = kinds.get(name);
      return [name, of === undefined ? schema : { ...schema, 'x-kubernetes-group-version-kind': of }];
    }),
  );
}
