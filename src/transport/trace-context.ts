import { AsyncLocalStorage } from 'node:async_hooks';

/** The trace a request belongs to, as the header `traceparent` writes it. Nobody enters it where traces are off, and then it costs nothing. */
export const currentTrace = new AsyncLocalStorage<string | undefined>();

/** What calls to others carry, so that their part of the trace is found. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = currentTrace.getStore();
  return traceparent === undefined ? {} : { traceparent };
}
