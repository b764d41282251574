import { jsonText, type Clock } from '#base';
import type { Brand } from '#api';
import { createHttpClient, retrying, TransportFailure, type Connection } from '#transport';
import type { AuditEvent } from './event.ts';
import type { Sink } from './sink.ts';

export interface WebhookSinkOptions {
  readonly brand: Brand;
  readonly clock: Clock;
  /** The delay before the first retry. */
  readonly firstDelayMs: number;
}

/** Attempts in all. */
const ATTEMPTS = 5;
const BACKOFF_FACTOR = 1.5;
const CALL_MS = 30_000;
/** The timeout of a delivery while the server shuts down. */
const LAST_CALL_MS = 3_000;
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Posts events as an `EventList`. Only the status of the response counts. As in 1.23, every failure is tried again, whatever it is: while a backend is
 * replaced, what stands before it may answer with any status, and events that are given up are lost. @spec 4.12 @spec 6
 */
export function createWebhookSink(connection: Connection, { brand, clock, firstDelayMs }: WebhookSinkOptions): Sink {
  const http = createHttpClient(connection, { maxAnswerBytes: MAX_ANSWER_BYTES });
  const closing = new AbortController();
  const send = async (body: string): Promise<void> => {
    const late = new AbortController();
    const cut = (): void => late.abort();
    const hurried = (): void => void clock.after(LAST_CALL_MS, cut);
    const cancel = clock.after(closing.signal.aborted ? LAST_CALL_MS : CALL_MS, cut);
    closing.signal.addEventListener('abort', hurried);
    try {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const { status } = await http.request({ method: 'POST', path: '', headers, body, signal: late.signal });
      if (status < 200 || status > 299) throw new TransportFailure('refused-answer', `${http.origin} answered with status ${status}`, { status });
    } finally {
      cancel();
      closing.signal.removeEventListener('abort', hurried);
    }
  };
  return {
    name: 'webhook',
    deliver(events: readonly AuditEvent[]) {
      const body = jsonText({ kind: 'EventList', apiVersion: `${brand.group('audit')}/v1`, metadata: {}, items: events });
      const plan = { clock, firstDelayMs, factor: BACKOFF_FACTOR, attempts: ATTEMPTS, isPassing: () => true, signal: closing.signal };
      return retrying(() => send(body), plan).catch((cause: unknown) => {
        // The shutdown cut the delays short: one more attempt, at once.
        if (closing.signal.aborted) return send(body);
        throw cause;
      });
    },
    hurry: () => closing.abort(),
    async close() {
      http.close();
    },
  };
}
