import { codeOf } from '#errors';
import type { Reply, Routed, Stage } from '#request';
import { currentTrace } from '#transport';
import type { Settings } from '../options.ts';
import { SpanExporter } from './span-exporter.ts';
import { formatTraceParent, newSpanId, newTrace, readTraceParent } from './trace-parent.ts';

/** The tracing of a server. */
export interface BuiltTracing {
  /** Records a span for every sampled request; calls to other servers on its behalf carry the trace context. */
  readonly stage: Stage<Routed>;
  /** Sends buffered spans. Never rejects. */
  close(): Promise<void>;
}

const MILLION = 1_000_000;

/** The tracing of a server; undefined where it is off, which adds no stage. @spec 6 */
export function buildTracing({ tracing, clock, log }: Settings): BuiltTracing | undefined {
  if (tracing === undefined) return undefined;
  const { endpoint, samplingRatePerMillion } = tracing;
  const exporter = new SpanExporter({ endpoint, clock, log });
  return {
    async stage(request, next) {
      const parent = readTraceParent(request.headers.get('traceparent')?.[0]) ?? newTrace(Math.random() * MILLION < samplingRatePerMillion);
      const spanId = newSpanId();
      const startMs = clock.nowMs();
      const end = (status: number): void => {
        if (!parent.isSampled) return;
        const { traceId, spanId: parentSpanId } = parent;
        exporter.add({ traceId, spanId, ...(parentSpanId === undefined ? {} : { parentSpanId }), ...described(request, status), startMs, endMs: clock.nowMs() });
      };
      const answer = currentTrace.run(formatTraceParent(parent.traceId, spanId, parent.isSampled), () => next(request));
      return answer.then(
        (reply: Reply) => {
          end(reply.status);
          return reply;
        },
        (failure: unknown) => {
          end(codeOf(failure));
          throw failure;
        },
      );
    },
    close: () => exporter.close(),
  };
}

/** The content of a span; without the query, which may contain tokens. */
function described({ id, method, path, info }: Routed, status: number): { readonly name: string; readonly isFailed: boolean; readonly attributes: Readonly<Record<string, string | number>> } {
  const what = info.isResourceRequest ? `${info.verb} ${info.resource}${info.subresource === '' ? '' : `/${info.subresource}`}` : method;
  return { name: what, isFailed: status >= 500, attributes: { 'http.method': method, 'http.target': path, 'http.status_code': status, 'audit-id': id } };
}
