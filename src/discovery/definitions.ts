import { addToList } from '#base';
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
import { openapiDefinitions, openapiName, t, type MessageType, type OpenapiDefinitions, type OpenapiSchema, type OpenapiVersion } from '#schema';
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

/** The message of a list of this kind, whose items are of this type. */
function listTypeOf(name: string, served: ServedVersion, item: MessageType): MessageType {
  const members: MessageType['members'] = [
    ['kind', t.string(0).facts],
    ['apiVersion', t.string(0).facts],
    ['metadata', t.one(1, ListMeta).facts],
    ['items', { ...t.strings(2, served.itemsMerge).required().facts, type: { is: 'list', of: { is: 'message', message: () => item } } }],
  ];
  return { name, members, fields: new Map(members), isAtomic: false };
}

const canList = ({ kind }: Resource): boolean => kind.verbs?.includes('list') ?? true;

/** What documents are made of: the resources as they were when the making began, as it takes several turns of the event loop. */
export type Published = Pick<Catalog, 'brand' | 'resources'>;

/** The name that a message of this resource is published under. */
export type PublishedNames = (resource: Resource, message: string) => string;

/** Definitions of all served messages, and of those they refer to, with the names that paths refer to them by. */
export async function buildDefinitions(catalog: Published, version: OpenapiVersion): Promise<{ readonly definitions: OpenapiDefinitions; readonly nameOf: PublishedNames }> {
  const roots = new Roots(catalog);
  const [custom, builtIn] = [true, false].map((is) => catalog.resources.filter(({ kind }) => (kind.isCustom === true) === is)) as [Resource[], Resource[]];
  const ofBuiltIn = roots.of(builtIn, (_, message) => message);
  const everywhere = EVERYWHERE.flatMap(([type, kind]) => groupVersions(catalog).map((of) => roots.named(type, { ...of, kind })));
  const documents = Object.entries(CORE_DOCUMENTS).map(([kind, { type }]) => roots.named(type, { group: '', kind, version: 'v1' }));
  const own = await openapiDefinitions([...Object.values(PATH_MESSAGES).map(({ type }) => type), ...ofBuiltIn, ...everywhere, ...documents]);
  // Whoever declares custom resources chooses their group, and so the name of their definition: it must not become that of another one.
  const nameOf: PublishedNames = ({ kind }, message) => (kind.isCustom === true && Object.hasOwn(own, openapiName(message)) ? `${message}_v2` : message);
  const ofCustom = await openapiDefinitions(roots.of(custom, nameOf), version);
  const all = Object.entries({ ...ofCustom, ...own }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { definitions: withoutTypes(custom, withKinds(Object.fromEntries(all), roots.kinds), nameOf), nameOf };
}

/** The types that documents begin with, and the kinds they are of. */
class Roots {
  /** By the name of the definition. */
  readonly kinds = new Map<string, GroupVersionKind[]>();
  readonly #brand: Published['brand'];
  readonly #served: ReadonlySet<string>;

  constructor({ brand, resources }: Published) {
    this.#brand = brand;
    this.#served = new Set(resources.map(({ group, kind }) => `${group}/${kind.kind}`));
  }

  named(type: MessageType, of: GroupVersionKind): MessageType {
    const name = openapiName(type.name);
    addToList(this.kinds, name, of);
    return type;
  }

  of(resources: readonly Resource[], nameOf: PublishedNames): readonly MessageType[] {
    return resources.flatMap((resource) => [...resource.versions.flatMap((served) => this.#ofVersion(resource, served, nameOf)), ...this.#carriedBy(resource)]);
  }

  #ofVersion(resource: Resource, served: ServedVersion, nameOf: PublishedNames): readonly MessageType[] {
    const { group, kind } = resource;
    const { version } = served;
    const declared = objectTypeOf(served.schema);
    const name = nameOf(resource, declared.name);
    const type = name === declared.name ? declared : { ...declared, name };
    const object = this.named(type, { group, kind: kind.kind, version });
    if (!canList(resource)) return [object];
    const listType = listTypeOf(nameOf(resource, listNameOf(kind, served)), served, type);
    return [object, this.named(listType, { group, kind: listKindOf(kind), version })];
  }

  #carriedBy({ kind }: Resource): readonly MessageType[] {
    return Object.values(kind.subresources ?? {}).flatMap(({ carries }) => {
      if (carries?.schema === undefined) return [];
      const group = this.#brand.group(carries.group);
      if (this.#served.has(`${group}/${carries.kind}`) || this.kinds.has(openapiName(carries.schema.type.name))) return [];
      return [this.named(objectTypeOf(carries.schema), { group, kind: carries.kind, version: carries.version })];
    });
  }
}

/** Lists of custom resources do not state the type `object`. */
function withoutTypes(custom: readonly Resource[], definitions: OpenapiDefinitions, nameOf: PublishedNames): OpenapiDefinitions {
  const changed: Record<string, OpenapiSchema> = {};
  for (const resource of custom) {
    for (const served of resource.versions) {
      const name = openapiName(nameOf(resource, listNameOf(resource.kind, served)));
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
