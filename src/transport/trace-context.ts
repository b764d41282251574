import { AsyncLocalStorage } from 'node:async_hooks';

/** The trace context of the current request, as in the header `traceparent`. Never set where tracing is off, and then it costs nothing. */
export const currentTrace = new AsyncLocalStorage<string | undefined>();

/** Headers that propagate the trace to other servers. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = currentTrace.getStore();
  return traceparent === undefined ? {} : { traceparent };
}
