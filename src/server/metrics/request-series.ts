import type { Catalog } from '#api';
import type { Family, Histogram, Metrics, Value } from '#http';
import { isConnecting, type RequestInfo, type Routed } from '#request';
import { dryRunOf, isNamed, labelsOf, scopeOf, verbOf, type Labels } from './request-labels.ts';
import { showServedOnly } from './served-series.ts';
import { streamMetrics, type CountStreams, type StreamCounts } from './streams.ts';

const SECONDS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
export const WHERE = ['component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'];
export const COMPONENT = 'apiserver';

/** The series of all requests with the same labels. */
export interface RequestSeries {
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

/** Declares the metrics of requests, and finds the series of one: by what the last one of its verb had, by a short key, or by all its labels. */
export function requestSeries(metrics: Metrics, catalog: Catalog): (request: Routed) => RequestSeries {
  const families = declare(metrics);
  const labelled = new Map<string, RequestSeries>();
  // Shortcuts that skip the label look-up for requests that repeat.
  const shortcuts = new Map<string, RequestSeries>();
  // The shortest, by verb, for the same request several times in a row.
  const recent = new Map<string, { readonly info: RequestInfo; readonly dryRun: string; readonly series: RequestSeries }>();
  showServedOnly(metrics, catalog, () => {
    for (const known of [labelled, shortcuts, recent]) known.clear();
  });

  const seriesOf = (request: Routed): RequestSeries => {
    const { info } = request;
    const last = recent.get(info.verb);
    const dryRun = dryRunOf(request);
    if (last !== undefined && last.dryRun === dryRun && isAlike(last.info, info)) return last.series;
    const series = findSeries(request, dryRun);
    if (ONE_SERIES.has(info.verb) && isServed(info, catalog)) recent.set(info.verb, { info, dryRun, series });
    return series;
  };

  const findSeries = (request: Routed, dryRun: string): RequestSeries => {
    const { verb, group, version, resource, subresource } = request.info;
    const isSimple = SIMPLE.has(verb);
    const shown = verb === 'patch' ? verbOf(request, verb) : verb;
    const shortcut = isSimple ? `${shown} ${dryRun} ${group} ${version} ${resource} ${subresource} ${scopeOf(request.info)}` : '';
    const known = isSimple ? shortcuts.get(shortcut) : undefined;
    if (known !== undefined) return known;
    const labels = labelsOf(request, dryRun, catalog);
    const key = labels.join('/');
    let series = labelled.get(key);
    if (series === undefined) {
      series = createSeries(families, labels, catalog);
      if (labelled.size < MAX_LABELLED) labelled.set(key, series);
    }
    if (isSimple && isServed(request.info, catalog) && shortcuts.size < MAX_LABELLED) shortcuts.set(shortcut, series);
    return series;
  };

  return seriesOf;
}

/** Of further labels each request has its own look-up. */
const MAX_LABELLED = 5_000;

/** Verbs for which the series follow from `dryRun` and the fields of `RequestInfo` that `isAlike` compares. */
const ONE_SERIES: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'create', 'update', 'delete']);

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

function createSeries(families: Families, [group, version, resource, subresource, scope, verb, dryRun]: Labels, catalog: Catalog): RequestSeries {
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
