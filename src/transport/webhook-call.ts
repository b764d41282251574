import type { Connection } from './connection.ts';
import { TransportFailure } from './failure.ts';
import { createHttpClient } from './http-request.ts';

export interface WebhookOptions {
  /** Below the address of the connection; may have a query. Default: none. */
  readonly path?: string;
  /** Longer answers are a failure. Default 3 MiB. */
  readonly maxAnswerBytes?: number;
  /** Default 8. */
  readonly maxConnections?: number;
}

export interface WebhookCall {
  /** From the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that answers one JSON document with another. */
export interface Webhook {
  /**
   * The answer to a document, parsed. Never repeats a call and never follows a redirect.
   * Throws `TransportFailure`: `refused-answer` for a status outside 200-299, `garbage` for an answer that is no JSON, and what `createHttpClient` throws.
   */
  call(document: unknown, call: WebhookCall): Promise<unknown>;
  /** Lets go of all connections. */
  close(): void;
}

const MAX_ANSWER_BYTES = 3 * 1024 * 1024;
/** So much of an answer stands in the message of a failure. */
const MAX_QUOTED = 512;

/** Opens nothing until the first call; connections are kept between calls. @spec 4.12 */
export function openWebhook(connection: Connection, options: WebhookOptions = {}): Webhook {
  const { path = '', maxAnswerBytes = MAX_ANSWER_BYTES, maxConnections = 8 } = options;
  const http = createHttpClient(connection, { maxAnswerBytes, maxConnections });
  return {
    async call(document, { timeoutMs, signal, headers }) {
      const late = AbortSignal.timeout(timeoutMs);
      const answer = await http
        .request({
          method: 'POST',
          path,
          headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(document),
          signal: signal === undefined ? late : AbortSignal.any([late, signal]),
        })
        .catch((cause: unknown) => {
          throw late.aborted ? new TransportFailure('timeout', `${http.origin} did not answer within ${timeoutMs} ms`, { cause }) : cause;
        });
      const text = new TextDecoder().decode(answer.body);
      if (answer.status < 200 || answer.status > 299) {
        throw new TransportFailure('refused-answer', `${http.origin} answered with status ${answer.status}: ${quote(text)}`);
      }
      return parse(text, http.origin);
    },
    close: () => http.close(),
  };
}

function parse(text: string, origin: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new TransportFailure('garbage', `${origin} answered with something that is no JSON: ${quote(text)}`, { cause });
  }
}

/** On one line, so that it cannot pretend to be another message. */
const quote = (text: string): string => JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
