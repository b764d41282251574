import type { Catalog } from '#api';
import { codeOf } from '#errors';
import type { Metrics } from '#http';
import { isLongRunning, type Routed, type Stage } from '#request';
import { labelsOf, READING } from './request-labels.ts';
import { COMPONENT, requestSeries, WHERE, type RequestSeries } from './request-series.ts';
import { countedStream } from './streams.ts';

/** Counts and times requests. @spec 6 */
export function requestMetrics(metrics: Metrics, catalog: Catalog): Stage<Routed> {
  const seriesOf = requestSeries(metrics, catalog);
  const inFlight = metrics.gauge('apiserver_current_inflight_requests', 'Requests running now, by whether they change anything.', ['request_kind']);
  const [reading, changing] = [inFlight.withLabels('readOnly'), inFlight.withLabels('mutating')];

  // No async function: it would cost every request a promise of its own.
  return (request, next) => {
    const startedMs = performance.now();
    const series = seriesOf(request);
    const isLong = isLongRunning(request.info);
    const running = isLong ? undefined : READING.has(request.info.verb) ? reading : changing;
    running?.add(1);
    const end = (code: number): void => {
      running?.add(-1);
      series.total(code).add(1);
      const tookMs = performance.now() - startedMs;
      series.duration?.observe(tookMs / 1_000);
      series.ownDuration?.observe((tookMs - request.webhooksMs) / 1_000);
    };
    return next(request).then(
      (reply) => {
        end(reply.status);
        if (isLong && 'stream' in reply && series.streams !== undefined) return countedStream(reply, series.streams, request);
        if ('body' in reply) series.sizes?.observe(sizeOf(reply.body));
        else if ('pieces' in reply && series.sizes !== undefined) return { ...reply, pieces: measured(reply.pieces, series.sizes) };
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

/** The same pieces. Their total size is observed when all are sent, or the client stops reading. */
async function* measured(pieces: AsyncIterable<readonly Uint8Array[]>, sizes: NonNullable<RequestSeries['sizes']>): AsyncGenerator<readonly Uint8Array[]> {
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
