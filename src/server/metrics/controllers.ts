import type { Exchange, QueueObserver } from '#client';
import type { Metrics } from '#http';

/** Histogram bounds that Kubernetes dashboards expect of work queues: powers of ten. */
const SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** The host label: the server's own controllers call it in process. */
const HOST = 'loopback';

/** The metrics of the server's own controllers. */
export interface ControllerObserver {
  readonly queues: QueueObserver;
  /** The same exchange, with its requests counted. */
  counted(exchange: Exchange): Exchange;
}

/** @spec 6 */
export const controllerMetrics = (metrics: Metrics): ControllerObserver => ({ queues: queueMetrics(metrics), counted: requestCounter(metrics) });

function queueMetrics(metrics: Metrics): QueueObserver {
  const adds = metrics.counter('workqueue_adds_total', 'Keys that were put into a queue.', ['name']);
  const depth = metrics.gauge('workqueue_depth', 'Keys that wait in a queue.', ['name']);
  const waiting = metrics.histogram('workqueue_queue_duration_seconds', 'Time keys waited in a queue.', SECONDS, ['name']);
  const working = metrics.histogram('workqueue_work_duration_seconds', 'Time the work on one key took.', SECONDS, ['name']);
  const retries = metrics.counter('workqueue_retries_total', 'Keys whose work failed and is tried again.', ['name']);
  const unfinished = metrics.gauge('workqueue_unfinished_work_seconds', 'Time spent so far on keys that are worked on now, all together.', ['name']);
  const longest = metrics.gauge('workqueue_longest_running_processor_seconds', 'Time spent so far on the key that is worked on for longest.', ['name']);
  const begun = new Map<string, Set<{ readonly atMs: number }>>();
  metrics.collect(() => {
    for (const [name, running] of begun) {
      const seconds = [...running].map(({ atMs }) => (performance.now() - atMs) / 1_000);
      unfinished.withLabels(name).set(seconds.reduce((sum, one) => sum + one, 0));
      longest.withLabels(name).set(Math.max(0, ...seconds));
    }
  });
  return {
    added(name) {
      adds.withLabels(name).add(1);
      depth.withLabels(name).add(1);
    },
    dropped: (name, count) => depth.withLabels(name).add(-count),
    retried: (name) => retries.withLabels(name).add(1),
    began(name, waitedMs) {
      depth.withLabels(name).add(-1);
      waiting.withLabels(name).observe(waitedMs / 1_000);
      let running = begun.get(name);
      if (running === undefined) begun.set(name, (running = new Set()));
      const one = { atMs: performance.now() };
      running.add(one);
      return () => {
        running.delete(one);
        working.withLabels(name).observe((performance.now() - one.atMs) / 1_000);
      };
    },
  };
}

function requestCounter(metrics: Metrics): ControllerObserver['counted'] {
  const requests = metrics.counter('rest_client_requests_total', 'Requests of the controllers, by their answers.', ['code', 'host', 'method']);
  const durations = metrics.histogram('rest_client_request_duration_seconds', 'Time until an answer to a request of the controllers began.', REQUEST_SECONDS, ['url', 'verb']);
  const timed = async <A extends object>(method: string, answer: Promise<A>): Promise<A> => {
    const startedMs = performance.now();
    try {
      const one = await answer;
      requests.withLabels('status' in one ? String(one.status) : '200', HOST, method).add(1);
      return one;
    } catch (failure) {
      requests.withLabels('<error>', HOST, method).add(1);
      throw failure;
    } finally {
      durations.withLabels(HOST, method).observe((performance.now() - startedMs) / 1_000);
    }
  };
  return ({ request, stream, events, close }) => ({
    request: (asked) => timed(asked.method, request(asked)),
    stream: (asked) => timed(asked.method, stream(asked)),
    ...(events === undefined ? {} : { events: (asked) => timed(asked.method, events(asked)) }),
    close,
  });
}
