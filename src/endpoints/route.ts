import { ApiError, badRequest, methodNotAllowed, noSuchPath, notFound } from '#errors';
import type { Catalog, ObjectKey, Resource, ServedVersion, Subresource, Verb } from '#api';
import { declarationGoes } from '#registry';
import type { RequestInfo } from '#request';

/** Where a request goes: a resource in one of its versions, and there perhaps a subresource. */
export interface Route {
  readonly resource: Resource;
  readonly served: ServedVersion;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly declared: Subresource | undefined;
  readonly verb: Verb;
  /** The name is empty for collections. */
  readonly key: ObjectKey;
}

/**
 * Finds the route. undefined: no such group or version is served here.
 * Throws `NotFound` for unknown resources and `MethodNotAllowed` for verbs a resource does not have.
 * @spec 4.1
 */
export function findRoute(catalog: Catalog, info: RequestInfo, method: string): Route | undefined {
  // The group without a name is served under `/api` alone.
  if (!catalog.hasGroupVersion(info.group, info.version) || (info.group === '' && info.apiPrefix !== 'api')) return undefined;
  const found = catalog.find(info.group, info.version, info.resource);
  // In groups of custom resources an unknown resource is as if its whole group were unknown: whoever else has such a path may answer.
  if (found === undefined && !catalog.isBuiltIn(info.group)) return undefined;
  if (found === undefined) throw noSuchPath();
  const { resource, served } = found;
  const { subresource, parts } = info;
  const declared = subresource === '' ? undefined : declaredSubresource(resource, subresource);
  if (subresource !== '' && declared === undefined) throw noSuchPart(resource, parts[1] ?? '');
  if (declared !== undefined && parts[1] === '') throw badRequest('name must be provided');
  if (parts.length > 3 && declared?.connects !== 'proxy') throw noSuchPath();
  const misplaced = misplacedPart(resource, info);
  if (misplaced !== undefined) {
    // As for an unknown resource of their group.
    if (resource.kind.isCustom === true) return undefined;
    throw misplaced === 'path' ? noSuchPath() : methodNotAllowed();
  }
  if ((parts[1] ?? '') !== '' && !hasItems(resource)) throw noSuchPath();
  // `/api/v1/proxy/…` led somewhere in early releases only.
  if (info.verb === 'proxy') throw noSuchPath();
  const verb = declared?.connects === 'proxy' && PROBES.has(method) ? 'get' : verbOf(resource, info, method);
  const verbs = declared === undefined ? resource.kind.verbs : declared.verbs;
  // What is nowhere stored says itself that it cannot be watched.
  const isOwnWatch = verb === 'watch' && resource.kind.action !== undefined && verbs?.includes('list') === true;
  if (verb === undefined || (verbs !== undefined && !verbs.includes(verb) && !isOwnWatch)) throw notAllowed(resource, info.verb);
  if (verb === 'create' && subresource === '' && (parts[1] ?? '') !== '') throw methodNotAllowed();
  if (verb === 'create' && subresource === '' && resource.kind.isLeaving === true) throw declarationGoes(resource);
  const isCluster = resource.kind.scope === 'Cluster';
  return { resource, served, subresource, declared, verb, key: { namespace: isCluster ? '' : info.namespace, name: parts[1] ?? '' } };
}

const noSuchPart = (resource: Resource, name: string): ApiError =>
  resource.kind.isCustom === true ? notFound({ group: resource.group, resource: resource.plural }, name) : noSuchPath();

function notAllowed({ kind, group, plural }: Resource, verb: string): ApiError {
  if (kind.isCustom !== true) return methodNotAllowed();
  return new ApiError('MethodNotAllowed', `${verb} is not supported on resources of kind "${plural}.${group}"`, { group, kind: plural });
}

/** What is proxied may be asked in ways that objects are not. */
const PROBES: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS']);

/** Not by plain look-up: `constructor` in a path is no subresource. */
function declaredSubresource({ kind }: Resource, name: string): Subresource | undefined {
  const { subresources } = kind;
  return subresources !== undefined && Object.hasOwn(subresources, name) ? subresources[name] : undefined;
}

/** A watch on one item is a watch of the collection narrowed to one name. Only of what is declared later the head can be asked for alone. */
function verbOf({ kind }: Resource, info: RequestInfo, method: string): Verb | undefined {
  const { verb } = info;
  if (method === 'HEAD' && kind.isCustom !== true) return undefined;
  // The path alone says that it is one, whatever the method.
  if (verb === 'watch' && method !== 'GET') return undefined;
  if (info.subresource === '' && (info.parts[1] ?? '') === '') return verb === 'update' || verb === 'patch' ? undefined : asVerb(verb);
  return asVerb(verb);
}

const VERBS: ReadonlySet<string> = new Set(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']);
const asVerb = (verb: string): Verb | undefined => (VERBS.has(verb) ? (verb as Verb) : undefined);

/**
 * What is wrong with asking for a resource in this scope: the path does not exist, or it does for other verbs. Only lists and watches reach
 * over all namespaces.
 */
function misplacedPart({ kind }: Resource, { namespace, resource, parts, verb }: RequestInfo): 'path' | 'verb' | undefined {
  const isCustom = kind.isCustom === true;
  // Below its own path a namespace is the object, which kinds that are declared later do not know.
  const isInNamespace = namespace !== '' && (isCustom || resource !== 'namespaces');
  if (kind.scope !== 'Namespaced') return isInNamespace ? 'path' : undefined;
  if (isInNamespace) return undefined;
  const isNamed = (parts[1] ?? '') !== '';
  const isListed = kind.verbs?.includes('list') !== false;
  if (isListed && (verb === 'list' || verb === 'watch') && (isCustom || !isNamed)) return undefined;
  return isNamed || !isListed ? 'path' : 'verb';
}

/** What can only be created, or asked for as a whole, has no paths of its own. */
const hasItems = ({ kind: { verbs } }: Resource): boolean => verbs === undefined || verbs.some((verb) => ITEM_VERBS.has(verb));
const ITEM_VERBS: ReadonlySet<Verb> = new Set(['get', 'update', 'patch', 'delete']);
