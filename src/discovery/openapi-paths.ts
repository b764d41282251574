import { ALL_VERBS, isOfNamespaces, rootPathOf, type Brand, type Resource, type ServedVersion, type Subresource } from '#api';
import { isTurnLong, nextTurn } from '#base';
import { openapiName, openapiReference, type OpenapiDefinitions, type OpenapiSchema } from '#schema';
import { connectPaths } from './connect-paths.ts';
import { listNameOf, PATH_MESSAGES, type Published, type PublishedNames } from './definitions.ts';
import type { ServedGroup } from './groups.ts';
import { actionsOf, buildPathItem, type Operation, type PathFrame, type PathItem } from './operations.ts';

/** Paths by their template. */
export type OpenapiPaths = Readonly<Record<string, PathItem>>;

type Entry = readonly [path: string, item: PathItem];

/** What references can point to, and by which names. */
export interface Referable {
  readonly definitions: OpenapiDefinitions;
  readonly nameOf: PublishedNames;
}

/** All paths of the API. */
export async function buildPaths(catalog: Published, groups: readonly ServedGroup[], referable: Referable): Promise<OpenapiPaths> {
  const { brand } = catalog;
  const resources: Entry[] = [];
  for (const resource of catalog.resources) {
    if (isTurnLong()) await nextTurn();
    for (const served of resource.versions) resources.push(...resourcePaths(catalog, resource, served, referable));
  }
  const custom = new Set(catalog.resources.filter(({ kind }) => kind.isCustom === true).map(({ group }) => group));
  const builtIn = groups.filter(({ name }) => !custom.has(name));
  const all = [...builtIn.flatMap((group) => groupPaths(group, brand)), ...rootPaths(brand), ...resources];
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function resourcePaths(catalog: Published, resource: Resource, served: ServedVersion, { definitions, nameOf }: Referable): readonly Entry[] {
  const { kind, group, plural } = resource;
  const isNamespaced = kind.scope === 'Namespaced';
  const verbs = kind.verbs ?? ALL_VERBS;
  const root = rootPathOf({ group, version: served.version });
  const inside = isNamespaced ? '/namespaces/{namespace}' : '';
  const inPath = isNamespaced ? ['namespace'] : [];
  const subject = `${isNamespaced ? 'Namespaced' : ''}${kind.kind}`;
  const frame = frameOf(catalog.brand, resource, served, { subject, nameOf });
  const everywhere = (suffix: string): PathFrame => ({ ...frame, subject: `${kind.kind}${suffix}ForAllNamespaces` });
  // The deprecated watch paths of custom resources are served, but not published.
  const canWatch = verbs.includes('watch') && kind.isCustom !== true;
  const entries: (Entry | false)[] = [
    [`${root}${inside}/${plural}`, buildPathItem(actionsOf(verbs, 'collection'), frame, inPath)],
    [`${root}${inside}/${plural}/{name}`, buildPathItem(actionsOf(verbs, 'object'), frame, ['name', ...inPath])],
    isNamespaced && verbs.includes('list') && [`${root}/${plural}`, buildPathItem(['list'], everywhere(''), [])],
    canWatch && [`${root}/watch${inside}/${plural}`, buildPathItem(['watchlist'], { ...frame, subject: `${subject}List` }, inPath)],
    canWatch && [`${root}/watch${inside}/${plural}/{name}`, buildPathItem(['watch'], frame, ['name', ...inPath])],
    canWatch && isNamespaced && [`${root}/watch/${plural}`, buildPathItem(['watchlist'], everywhere('List'), [])],
    ...Object.entries(kind.subresources ?? {}).flatMap(([name, part]): readonly Entry[] => {
      const path = `${root}${inside}/${plural}/{name}/${name}`;
      const here = { ...frame, subject: `${subject}${capital(name)}` };
      if (part.connects !== undefined) return connectPaths(path, part, here, ['name', ...inPath]);
      return [[path, partItem(catalog, frame, name, part, definitions, ['name', ...inPath])]];
    }),
  ];
  return entries.filter((entry): entry is Entry => entry !== false && Object.keys(entry[1]).some((key) => key !== 'parameters'));
}

function frameOf(brand: Brand, resource: Resource, served: ServedVersion, { subject, nameOf }: { readonly subject: string; readonly nameOf: PublishedNames }): PathFrame {
  const { group, kind } = resource;
  return {
    brand,
    tag: tagOf(group, brand, served.version),
    prefix: prefixOf(group, brand, served.version),
    subject,
    kind: { group, kind: kind.kind, version: served.version },
    object: openapiReference(nameOf(resource, served.schema.type.name)),
    list: openapiReference(nameOf(resource, listNameOf(kind, served))),
    isCustom: kind.isCustom === true,
    // Of namespaces kube-apiserver publishes a Status, although it answers with the namespace.
    returnsDeleted: kind.deleteShowsObject === true && !isOfNamespaces(resource),
  };
}

function partItem(
  { brand }: Published,
  frame: PathFrame,
  name: string,
  { carries, verbs }: Subresource,
  definitions: OpenapiDefinitions,
  inPath: readonly string[],
): PathItem {
  const subject = `${frame.subject}${capital(name)}`;
  const actions = actionsOf(verbs);
  if (carries === undefined) return buildPathItem(actions, { ...frame, subject }, inPath);
  const kind = { group: brand.group(carries.group), kind: carries.kind, version: carries.version };
  const message = `${carries.group === '' ? 'core' : carries.group}/${carries.version}.${carries.kind}`;
  const object: OpenapiSchema = openapiName(message) in definitions ? openapiReference(message) : { type: 'object' };
  return buildPathItem(actions, { ...frame, subject, kind: frame.isCustom ? frame.kind : kind, object }, inPath);
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** `rbac.authorization.…` → `rbacAuthorization`. */
function stemOf(group: string, brand: Brand): string {
  if (group === '') return 'core';
  const suffix = `.${brand.names.shortDomain}`;
  const stem = group.endsWith(suffix) ? group.slice(0, -suffix.length) : group;
  const [first = '', ...others] = stem.split(/[.-]/);
  return first + others.map(capital).join('');
}

const tagOf = (group: string, brand: Brand, version: string): string => `${stemOf(group, brand)}_${version}`;
const prefixOf = (group: string, brand: Brand, version: string): string => `${capital(stemOf(group, brand))}${capital(version)}`;

/** The path item of a discovery document. */
function documentItem(brand: Brand, tag: string, operationId: string, message: string): PathItem {
  const types = ['application/json', 'application/yaml', brand.names.protobuf];
  return { get: documentOperation(types, tag, operationId, message) };
}

function documentOperation(types: readonly string[], tag: string, operationId: string, message: string): Operation {
  return {
    consumes: types,
    produces: types,
    schemes: ['https'],
    tags: [tag],
    operationId,
    responses: { 200: { description: 'OK', schema: openapiReference(message) }, 401: { description: 'Unauthorized' } },
  };
}

/** The path item of an OIDC document for verifying service account tokens, in the standard's own format. */
const issuerItem = (type: string, tag: string, operationId: string): PathItem => ({
  get: {
    produces: [type],
    schemes: ['https'],
    tags: [tag],
    operationId,
    responses: { 200: { description: 'OK', schema: { type: 'string' } }, 401: { description: 'Unauthorized' } },
  },
});

const { APIGroup, APIGroupList, APIResourceList, APIVersions, VersionMessage } = PATH_MESSAGES;

function rootPaths(brand: Brand): readonly Entry[] {
  return [
    ['/api/', documentItem(brand, 'core', 'getCoreAPIVersions', APIVersions.type.name)],
    ['/apis/', documentItem(brand, 'apis', 'getAPIVersions', APIGroupList.type.name)],
    ['/.well-known/openid-configuration/', issuerItem('application/json', 'WellKnown', 'getServiceAccountIssuerOpenIDConfiguration')],
    ['/openid/v1/jwks/', issuerItem('application/jwk-set+json', 'openid', 'getServiceAccountIssuerOpenIDKeyset')],
    ['/version/', { get: { description: 'get the code version', ...documentOperation(['application/json'], 'version', 'getCodeVersion', VersionMessage.type.name) } }],
  ];
}

function groupPaths({ name, versions }: ServedGroup, brand: Brand): readonly Entry[] {
  const stem = stemOf(name, brand);
  const group: readonly Entry[] =
    name === '' ? [] : [[`/apis/${name}/`, documentItem(brand, stem, `get${capital(stem)}APIGroup`, APIGroup.type.name)]];
  return [
    ...group,
    ...versions.map((version): Entry => {
      const operationId = `get${prefixOf(name, brand, version)}APIResources`;
      return [`${rootPathOf({ group: name, version })}/`, documentItem(brand, tagOf(name, brand, version), operationId, APIResourceList.type.name)];
    }),
  ];
}
