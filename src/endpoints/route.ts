import { ApiError, badRequest, methodNotAllowed, noSuchPath, notFound } from '#errors';
import { ALL_VERBS, groupResourceOf, type Catalog, type ObjectKey, type Resource, type ServedVersion, type Subresource, type Verb } from '#api';
import { definitionTerminating } from '#registry';
import type { RequestInfo } from '#request';

/** The target of a request: a resource in one of its versions, and perhaps a subresource of it. */
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
  // In groups of custom resources an unknown resource counts as an unknown group: another handler may serve its path.
  if (found === undefined && !catalog.isBuiltIn(info.group)) return undefined;
  if (found === undefined) throw noSuchPath();
  const { resource, served } = found;
  if (resource.kind.verbs?.includes('watch') === false && OLD_WATCH.test(info.path)) throw noSuchPath();
  const misplaced = misplacedPart(resource, info);
  // Custom resources: as for an unknown resource of their group.
  if (misplaced !== undefined && resource.kind.isCustom === true) return undefined;
  const { subresource, parts } = info;
  const declared = subresource === '' ? undefined : declaredSubresource(resource, subresource);
  if (subresource !== '' && declared === undefined) throw noSuchPart(resource, parts[1] ?? '');
  if (declared !== undefined && parts[1] === '') throw badRequest('name must be provided');
  if (parts.length > 3 && declared?.connects !== 'proxy') throw noSuchPath();
  if (misplaced === 'path') throw noSuchPath();
  if (misplaced === 'verb') throw methodNotAllowed();
  if ((parts[1] ?? '') !== '' && !hasItems(resource)) throw noSuchPath();
  // `/api/v1/proxy/…` led somewhere in early releases only.
  if (info.verb === 'proxy') throw noSuchPath();
  // Only paths below `/watch/` are watches of a subresource.
  if (info.verb === 'watch' && declared !== undefined && resource.kind.isCustom !== true) throw noSuchPath();
  const verb = declared?.connects === 'proxy' && PROBES.has(method) ? 'get' : verbOf(resource, info, method);
  const verbs = declared === undefined ? resource.kind.verbs : declared.verbs;
  // The action of a kind that is not stored refuses a watch itself.
  const isOwnWatch = verb === 'watch' && resource.kind.action !== undefined && verbs?.includes('list') === true;
  if (verb === undefined || (verbs !== undefined && !verbs.includes(verb) && !isOwnWatch)) throw notAllowed(resource, info.verb);
  if (verb === 'create' && subresource === '' && (parts[1] ?? '') !== '') throw methodNotAllowed();
  if (verb === 'create' && subresource === '' && resource.kind.isLeaving === true) throw definitionTerminating(resource);
  if (misplaced === 'namespace') throw badRequest('Namespace parameter required.');
  const isCluster = resource.kind.scope === 'Cluster';
  return { resource, served, subresource, declared, verb, key: { namespace: isCluster ? '' : info.namespace, name: parts[1] ?? '' } };
}

const noSuchPart = (resource: Resource, name: string): ApiError =>
  resource.kind.isCustom === true ? notFound(groupResourceOf(resource), name) : noSuchPath();

function notAllowed({ kind, group, plural }: Resource, verb: string): ApiError {
  if (kind.isCustom !== true) return methodNotAllowed();
  return new ApiError('MethodNotAllowed', `${verb} is not supported on resources of kind "${plural}.${group}"`, { group, kind: plural });
}

/** Methods that the proxy subresource has beside those of objects; they count as `get`. */
const PROBES: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS']);

/** Looks up own properties only: `constructor` in a path is no subresource. */
function declaredSubresource({ kind }: Resource, name: string): Subresource | undefined {
  const { subresources } = kind;
  return subresources !== undefined && Object.hasOwn(subresources, name) ? subresources[name] : undefined;
}

/**
 * A watch of one item is a watch of the collection narrowed to one name. For custom resources only there is HEAD, and a change of a collection, which
 * then lacks the name.
 */
function verbOf({ kind }: Resource, info: RequestInfo, method: string): Verb | undefined {
  const { verb } = info;
  if (method === 'HEAD' && kind.isCustom !== true) return undefined;
  // A path below `/watch/` is a watch, whatever the method.
  if (verb === 'watch' && method !== 'GET') return undefined;
  const isUnnamed = info.subresource === '' && (info.parts[1] ?? '') === '';
  return isUnnamed && NAMING.has(verb) && kind.isCustom !== true ? undefined : asVerb(verb);
}

/** Verbs of requests that name an object in their path. */
const NAMING: ReadonlySet<string> = new Set(['update', 'patch']);

/** Throws `BadRequest` where the path lacks the name of the object. */
export function checkNamed({ verb, key }: Route): void {
  if (key.name === '' && NAMING.has(verb)) throw badRequest('name must be provided');
}

const VERBS: ReadonlySet<string> = new Set(ALL_VERBS);
const asVerb = (verb: string): Verb | undefined => (VERBS.has(verb) ? (verb as Verb) : undefined);

/**
 * What is wrong with requesting a resource in this scope: the path does not exist, or it exists for other verbs, or its namespace is empty. Only
 * lists and watches span all namespaces.
 */
function misplacedPart({ kind }: Resource, { namespace, resource, parts, verb, path }: RequestInfo): 'path' | 'verb' | 'namespace' | undefined {
  const isCustom = kind.isCustom === true;
  // `/api/v1/namespaces/a` names the Namespace object itself; a custom resource called `namespaces` has no such path. In `namespaces/a/namespaces/b`
  // the object is not its own scope: the request was authorized in namespace `a`.
  const isItself = !isCustom && resource === 'namespaces' && parts[1] === namespace;
  const isInNamespace = namespace !== '' && !isItself;
  const isInEmptyOne = namespace === '' && parts[1] !== '' && path.includes('//') && EMPTY_NAMESPACE.test(path);
  if (kind.scope !== 'Namespaced') return isInNamespace || isInEmptyOne ? 'path' : undefined;
  if (isInNamespace) return undefined;
  const isNamed = (parts[1] ?? '') !== '';
  const isListed = kind.verbs?.includes('list') !== false;
  if (isListed && (verb === 'list' || verb === 'watch') && (isCustom || !isNamed)) return undefined;
  if (isNamed && isInEmptyOne && verb !== 'watch') return 'namespace';
  return isNamed || !isListed ? 'path' : 'verb';
}

/** The old path of watches, which only kinds that can be watched have. */
const OLD_WATCH = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/watch\//;

/** Two slashes where a namespace should stand between them. */
const EMPTY_NAMESPACE = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/watch)?\/namespaces\/\/[^/]/;

/** Kinds that can only be created, listed or watched have no paths of items. */
const hasItems = ({ kind: { verbs } }: Resource): boolean => verbs === undefined || verbs.some((verb) => ITEM_VERBS.has(verb));
const ITEM_VERBS: ReadonlySet<Verb> = new Set(['get', 'update', 'patch', 'delete']);
