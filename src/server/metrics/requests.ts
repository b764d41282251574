import type { Catalog } from '#api';
import { codeOf } from '#errors';
import type { Family, Histogram, Metrics, Value } from '#http';
import { isConnecting, isLongRunning, type RequestInfo, type Routed, type Stage } from '#request';
import { countedStream, streamMetrics, type CountStreams, type StreamCounts } from './streams.ts';

const SECONDS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const WHERE = ['component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'];
const COMPONENT = 'apiserver';

/** The series of all requests with the same labels; found once per request by a short key. */
interface Place {
  readonly total: (code: number) => Value;
  readonly duration: Histogram | undefined;
  /** Without the time of webhooks. */
  readonly ownDuration: Histogram | undefined;
  readonly sizes: Histogram | undefined;
  /** Only for long-running requests. */
  readonly streams: StreamCounts | undefined;
}

interface Families {
  readonly total: Family<Value>;
  readonly duration: Family<Histogram>;
  readonly ownDuration: Family<Histogram>;
  readonly sizes: Family<Histogram>;
  readonly streams: CountStreams;
  readonly deprecated: Family<Value>;
}

/**
 * Counts and times requests. Label values come only from the catalog and the tables below, whatever a client writes into a path.
 * @spec 6
 */
export function requestMetrics(metrics: Metrics, catalog: Catalog): Stage<Routed> {
  const families = declare(metrics);
  const inFlight = metrics.gauge('apiserver_current_inflight_requests', 'Requests running now, by whether they change anything.', ['request_kind']);
  const [reading, changing] = [inFlight.withLabels('readOnly'), inFlight.withLabels('mutating')];
  const places = new Map<string, Place>();
  // Shortcuts that skip the label look-up for requests that repeat.
  const shortcuts = new Map<string, Place>();
  // The shortest, by verb, for the same request several times in a row.
  const recent = new Map<string, { readonly info: RequestInfo; readonly dryRun: string; readonly place: Place }>();

  const placeOf = (request: Routed): Place => {
    const { info } = request;
    const last = recent.get(info.verb);
    const dryRun = dryRunOf(request);
    if (last !== undefined && last.dryRun === dryRun && isAlike(last.info, info)) return last.place;
    const place = findPlace(request, dryRun);
    if (ONE_PLACE.has(info.verb) && isServed(info, catalog)) recent.set(info.verb, { info, dryRun, place });
    return place;
  };

  const findPlace = (request: Routed, dryRun: string): Place => {
    const { verb, group, version, resource, subresource } = request.info;
    const isSimple = SIMPLE.has(verb);
    const shown = verb === 'patch' ? verbOf(request, verb) : verb;
    const shortcut = isSimple ? `${shown} ${dryRun} ${group} ${version} ${resource} ${subresource} ${scopeOf(request.info)}` : '';
    const known = isSimple ? shortcuts.get(shortcut) : undefined;
    if (known !== undefined) return known;
    const labels = labelsOf(request, dryRun, catalog);
    const key = labels.join('/');
    let place = places.get(key);
    if (place === undefined) {
      place = createPlace(families, labels, catalog);
      // Custom resources come and go; their series stay.
      if (places.size < MAX_PLACES) places.set(key, place);
    }
    if (isSimple && isServed(request.info, catalog) && shortcuts.size < MAX_PLACES) shortcuts.set(shortcut, place);
    return place;
  };

  // No async function: it would cost every request a promise of its own.
  return (request, next) => {
    const startedMs = performance.now();
    const place = placeOf(request);
    const isLong = isLongRunning(request.info);
    const running = isLong ? undefined : READING.has(request.info.verb) ? reading : changing;
    running?.add(1);
    const end = (code: number): void => {
      running?.add(-1);
      place.total(code).add(1);
      const tookMs = performance.now() - startedMs;
      place.duration?.observe(tookMs / 1_000);
      place.ownDuration?.observe((tookMs - request.webhooksMs) / 1_000);
    };
    return next(request).then(
      (reply) => {
        end(reply.status);
        if (isLong && 'stream' in reply && place.streams !== undefined) return countedStream(reply, place.streams, request);
        if ('body' in reply) place.sizes?.observe(sizeOf(reply.body));
        else if ('pieces' in reply && place.sizes !== undefined) return { ...reply, pieces: measured(reply.pieces, place.sizes) };
        return reply;
      },
      (thrown: unknown) => {
        end(codeOf(thrown));
        throw thrown;
      },
    );
  };
}

/** Counts requests that the server rejects or aborts to protect itself: overload or timeout. @spec 6 */
export function terminationMetrics(metrics: Metrics, catalog: Catalog): (request: Routed, code: number) => void {
  const total = metrics.counter('apiserver_request_terminations_total', 'Requests given up to protect the server, for want of room or of time.', ['code', ...WHERE]);
  return (request, code) => {
    const [group, version, resource, subresource, scope, verb] = labelsOf(request, '', catalog);
    total.withLabels(String(code), COMPONENT, group, resource, scope, subresource, verb, version).add(1);
  };
}

const MAX_PLACES = 5_000;

/** Verbs for which the series follow from `dryRun` and the fields of `RequestInfo` that `isAlike` compares. */
const ONE_PLACE: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'create', 'update', 'delete']);

const isAlike = (a: RequestInfo, b: RequestInfo): boolean =>
  a.resource === b.resource &&
  a.version === b.version &&
  a.group === b.group &&
  a.subresource === b.subresource &&
  a.isResourceRequest === b.isResourceRequest &&
  isNamed(a) === isNamed(b) &&
  (a.namespace === '') === (b.namespace === '');

/** Verbs for which the labels follow from the shortcut's key. */
const SIMPLE: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']);

/** Resources that are not served get no shortcut: its keys would be chosen by clients. */
const isServed = ({ group, version, resource, subresource, isResourceRequest }: RequestInfo, catalog: Catalog): boolean =>
  isResourceRequest && subresource === '' && catalog.find(group, version, resource) !== undefined;

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

function declare(metrics: Metrics): Families {
  return {
    total: metrics.counter('apiserver_request_total', 'Requests answered, by what they were about and how they ended.', ['code', 'component', 'dry_run', 'group', 'resource', 'scope', 'subresource', 'verb', 'version']),
    duration: metrics.histogram('apiserver_request_duration_seconds', 'Time from the arrival of a request to its answer; not of watches and connections.', SECONDS, ['component', 'dry_run', 'group', 'resource', 'scope', 'subresource', 'verb', 'version']),
    ownDuration: metrics.histogram('apiserver_request_slo_duration_seconds', 'The same without the time of admission webhooks.', SECONDS, WHERE),
    sizes: metrics.histogram('apiserver_response_sizes', 'Bytes of answers to reads, before compression.', BYTES, WHERE),
    streams: streamMetrics(metrics, WHERE),
    deprecated: metrics.gauge('apiserver_requested_deprecated_apis', '1 for every API that was asked for and will go, with the release that has it no more.', ['group', 'version', 'resource', 'subresource', 'removed_release']),
  };
}

/** Group, version, resource, subresource, scope, verb, dry run. */
type Labels = readonly [group: string, version: string, resource: string, subresource: string, scope: string, verb: string, dryRun: string];

function createPlace(families: Families, [group, version, resource, subresource, scope, verb, dryRun]: Labels, catalog: Catalog): Place {
  const where = [COMPONENT, group, resource, scope, subresource, verb, version] as const;
  const codes = new Map<number, Value>();
  const found = resource === '' ? undefined : catalog.find(group, version, resource);
  const { deprecated } = found?.served ?? {};
  if (deprecated !== undefined) families.deprecated.withLabels(group, version, resource, subresource, deprecated.goneIn ?? '').set(1);
  const isLong = verb === 'WATCH' || isConnecting({ isResourceRequest: true, subresource, verb });
  const watched = verb === 'WATCH' && found !== undefined ? ([group, found.resource.kind.kind, version] as const) : undefined;
  return {
    total(code) {
      let one = codes.get(code);
      if (one === undefined) {
        one = families.total.withLabels(String(code), COMPONENT, dryRun, group, resource, scope, subresource, verb, version);
        codes.set(code, one);
      }
      return one;
    },
    // Not for long-running requests.
    duration: isLong ? undefined : families.duration.withLabels(COMPONENT, dryRun, group, resource, scope, subresource, verb, version),
    ownDuration: isLong ? undefined : families.ownDuration.withLabels(...where),
    sizes: isLong || !SIZED.has(verb) ? undefined : families.sizes.withLabels(...where),
    streams: isLong ? families.streams(where, watched) : undefined,
  };
}

/** Verbs whose answers are measured. */
const SIZED: ReadonlySet<string> = new Set(['GET', 'LIST']);

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

function labelsOf(request: Routed, dryRun: string, catalog: Catalog): Labels {
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
const isNamed = ({ parts }: RequestInfo): boolean => parts.length > 1;

function scopeOf(info: RequestInfo): string {
  if (isNamed(info) || info.verb === 'create') return 'resource';
  return info.namespace !== '' && info.resource !== 'namespaces' ? 'namespace' : 'cluster';
}

function verbOf({ info, headers }: Routed, plain: string): string {
  const isApply = info.verb === 'patch' && headers.get('content-type')?.[0]?.startsWith('application/apply-patch') === true;
  return isApply ? 'APPLY' : plain;
}

/** The `dry_run` label; empty for reads. */
function dryRunOf({ info, query }: Routed): string {
  if (READING.has(info.verb) || !query.has('dryRun')) return '';
  const asked = query.getAll('dryRun').filter((value) => value !== '');
  return asked.length === 0 ? '' : asked.every((value) => value === 'All') ? 'All' : 'invalid';
}

/** The same pieces. Their total size is observed when all are sent, or the client stops reading. */
async function* measured(pieces: AsyncIterable<readonly Uint8Array[]>, sizes: NonNullable<Place['sizes']>): AsyncGenerator<readonly Uint8Array[]> {
  let bytes = 0;
  try {
    for await (const run of pieces) {
      bytes += sizeOf(run);
      yield run;
    }
  } finally {
    sizes.observe(bytes);
  }
}

const sizeOf = (body: Uint8Array | readonly Uint8Array[]): number =>
  body instanceof Uint8Array ? body.length : body.reduce((sum, slice) => sum + slice.length, 0);
