import type { Histogram, Metrics, Value } from '#http';
import type { Outlet, Reply, Routed, StreamReply } from '#request';

const EVENT_BYTES = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const WHAT = ['group', 'kind', 'version'];

/** Counters of long-running requests with the same labels. */
export interface StreamCounts {
  /** Gauges of open requests. */
  readonly open: readonly Value[];
  /** Counters of watch events; undefined for streams that are no watches of a known kind. */
  readonly watching: WatchCounts | undefined;
}

interface WatchCounts {
  readonly events: Value;
  readonly sizes: Histogram;
}

/** Finds the counters for these values of the common request labels; `kind`: the watched kind, where it is known. */
export type CountStreams = (where: readonly string[], kind: WatchedKind | undefined) => StreamCounts;

type WatchedKind = readonly [group: string, kind: string, version: string];

/** Declares the metrics of watches and connections. `labels`: the labels common to all requests. */
export function streamMetrics(metrics: Metrics, labels: readonly string[]): CountStreams {
  const running = [
    metrics.gauge('apiserver_longrunning_requests', 'Watches and connections open now.', labels),
    metrics.gauge('apiserver_longrunning_gauge', 'The same as apiserver_longrunning_requests.', labels, '1.23.0'),
  ];
  const watchers = metrics.gauge('apiserver_registered_watchers', 'Watches open now.', WHAT);
  const events = metrics.counter('apiserver_watch_events_total', 'Events sent to watches.', WHAT);
  const sizes = metrics.histogram('apiserver_watch_events_sizes', 'Bytes of events sent to watches.', EVENT_BYTES, WHAT);
  return (where, kind) => {
    const open = running.map((family) => family.withLabels(...where));
    if (kind === undefined) return { open, watching: undefined };
    return { open: [...open, watchers.withLabels(...kind)], watching: { events: events.withLabels(...kind), sizes: sizes.withLabels(...kind) } };
  };
}

/** The same reply, counted as open while it lasts, and its events as they are sent. */
export function countedStream(reply: StreamReply, { open, watching }: StreamCounts, { method }: Routed): Reply {
  if (method === 'HEAD') return reply;
  const { stream, tunnel } = reply;
  return {
    ...reply,
    stream: (out) => during(open, stream(watching === undefined ? out : new CountingOutlet(out, watching))),
    ...(tunnel === undefined ? {} : { tunnel: (client) => during(open, tunnel(client)) }),
  };
}

/** Thousands may be open for hours: no async function, whose frame would keep more in memory. */
function during(gauges: readonly Value[], answer: Promise<void>): Promise<void> {
  for (const gauge of gauges) gauge.add(1);
  const end = (): void => {
    for (const gauge of gauges) gauge.add(-1);
  };
  return answer.then(end, (failure: unknown) => {
    end();
    throw failure;
  });
}

/** Every write of a watch is one event. */
class CountingOutlet implements Outlet {
  readonly #out: Outlet;
  readonly #watching: WatchCounts;

  constructor(out: Outlet, watching: WatchCounts) {
    this.#out = out;
    this.#watching = watching;
  }

  get signal(): AbortSignal {
    return this.#out.signal;
  }

  open(): void {
    this.#out.open();
  }

  write(chunk: Uint8Array): boolean {
    this.#watching.events.add(1);
    this.#watching.sizes.observe(chunk.length);
    return this.#out.write(chunk);
  }

  drained(): Promise<void> {
    return this.#out.drained();
  }

  shutdown(): void {
    this.#out.shutdown();
  }
}
