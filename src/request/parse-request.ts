import { checkPathSegment, parseFieldSelector, type FieldRequirement } from '#api';
import type { RequestInfo } from './request-info.ts';

/** Subresources of a namespace itself; any other third segment is a resource inside it. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);

const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** The verb on a collection, where it differs from the one on an object. */
const COLLECTION_VERBS: Readonly<Record<string, string>> = { get: 'list', delete: 'deletecollection' };

/**
 * Parses method, path and query of a request. `path` is percent-decoded. Never throws: a path that is no resource path makes a non-resource request.
 * @spec 4.1
 * @spec 4.2
 */
export function parseRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = segmentsOf(path);
  const prefix = segments[0] ?? '';
  if ((prefix !== 'api' || segments.length < 3) && (prefix !== 'apis' || segments.length < 4)) return nonResource(method, path);
  const isCore = prefix === 'api';
  const group = isCore ? '' : (segments[1] ?? '');
  const version = (isCore ? segments[1] : segments[2]) ?? '';
  let parts = segments.slice(isCore ? 2 : 3);
  let verb = VERBS.get(method) ?? '';
  if ((parts[0] === 'watch' || parts[0] === 'proxy') && parts.length > 1) {
    verb = parts[0];
    parts = parts.slice(1);
  }
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] ?? '';
    if (parts.length > 2 && !OF_NAMESPACES.has(parts[2] ?? '')) parts = parts.slice(2);
  }
  const resource = parts[0] ?? '';
  const name = parts[1] ?? '';
  // Behind a name on the old path of proxies stood the path at the back end.
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '');
  return {
    isResourceRequest: true,
    path,
    verb: collectionVerb(verb, name, query),
    apiPrefix: prefix,
    group,
    version,
    namespace,
    resource,
    subresource,
    name: name === '' && verb === 'get' ? selectedName(query) : name,
    parts,
  };
}

/**
 * The segments between leading and trailing slashes. Empty segments in between are kept: dropping one would shift the others, which makes the path
 * that of another resource. A loop, because every request passes here.
 */
function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  let [start, end] = [0, path.length];
  while (start < end && path.charCodeAt(start) === SLASH) start++;
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--;
  while (start < end) {
    const slash = path.indexOf('/', start);
    const next = slash === -1 || slash > end ? end : slash;
    segments.push(path.slice(start, next));
    start = next + 1;
  }
  return segments;
}

const SLASH = 0x2f;

function nonResource(method: string, path: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
  };
}

function collectionVerb(verb: string, name: string, query: URLSearchParams): string {
  if (name !== '') return verb;
  const onCollection = COLLECTION_VERBS[verb] ?? verb;
  return onCollection === 'list' && isTrue(query.get('watch')) ? 'watch' : onCollection;
}

const isTrue = (text: string | null): boolean => text !== null && text !== '0' && text.toLowerCase() !== 'false';

/**
 * A list or watch with `fieldSelector=metadata.name=a` is authorized for that name. Parsed by the same function that selects objects: a client must
 * not be allowed one name and shown others.
 */
function selectedName(query: URLSearchParams): string {
  const text = query.get('fieldSelector');
  if (text === null) return '';
  const name = termsOf(text).find(({ key, isEqual }) => isEqual && key === 'metadata.name')?.value ?? '';
  return checkPathSegment(name) === undefined ? name : '';
}

/** Empty for an invalid selector: its error is reported after authorization. */
function termsOf(text: string): readonly FieldRequirement[] {
  try {
    return parseFieldSelector(text);
  } catch {
    return [];
  }
}
