import type { Catalog } from '#api';
import type { RequestInfo, Routed } from '#request';

/** Values come only from the catalog and the tables below, whatever a client writes into a path. */
export type Labels = readonly [group: string, version: string, resource: string, subresource: string, scope: string, verb: string, dryRun: string];

/** Verbs of requests that change nothing. */
export const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

/** The methods of requests, but for lists and watches, as in Kubernetes: also where a request connects, or is about a collection. */
const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  head: 'GET',
  post: 'POST',
  put: 'PUT',
};
/** Non-resource paths that are shown as they are. */
const SHOWN_PATHS: ReadonlySet<string> = new Set(['/api', '/apis', '/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/readyz', '/version']);
const OTHER = 'other';

/** The labels of a request; a subresource or a resource that is not served is one of the others. */
export function labelsOf(request: Routed, dryRun: string, catalog: Catalog): Labels {
  const { info } = request;
  const plain = Object.hasOwn(VERBS, info.verb) ? (VERBS[info.verb] as string) : OTHER;
  if (!info.isResourceRequest) return ['', '', '', SHOWN_PATHS.has(info.path) ? info.path : '', '', plain, ''];
  const found = catalog.find(info.group, info.version, info.resource);
  if (found === undefined) return ['', '', OTHER, '', '', plain, ''];
  const { subresources } = found.resource.kind;
  const subresource = info.subresource === '' || (subresources !== undefined && Object.hasOwn(subresources, info.subresource)) ? info.subresource : OTHER;
  return [info.group, info.version, info.resource, subresource, scopeOf(info), verbOf(request, plain), dryRun];
}

/** Whether the path names an object. A selector that leads to one object alone does not make a list the read of an object. */
export const isNamed = ({ parts }: RequestInfo): boolean => parts.length > 1;

/** Whether a request is about one object, the collection of a namespace, or a whole one. */
export function scopeOf(info: RequestInfo): string {
  if (isNamed(info) || info.verb === 'create') return 'resource';
  return info.namespace !== '' && info.resource !== 'namespaces' ? 'namespace' : 'cluster';
}

/** The `verb` label of a request whose method is shown as `plain`. */
export function verbOf({ info, headers }: Routed, plain: string): string {
  const isApply = info.verb === 'patch' && headers.get('content-type')?.[0]?.startsWith('application/apply-patch') === true;
  return isApply ? 'APPLY' : plain;
}

/** The `dry_run` label; empty for reads. */
export function dryRunOf({ info, query }: Routed): string {
  if (READING.has(info.verb) || !query.has('dryRun')) return '';
  const asked = query.getAll('dryRun').filter((value) => value !== '');
  return asked.length === 0 ? '' : asked.every((value) => value === 'All') ? 'All' : 'invalid';
}
