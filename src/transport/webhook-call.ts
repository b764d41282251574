import { jsonText, parseJson, systemClock, type Clock } from '#base';
import type { Connection } from './connection.ts';
import { TransportFailure } from './failure.ts';
import { createHttpClient } from './http-request.ts';
import { plainPath } from './plain-path.ts';

/** How a webhook is called, whatever it is asked. */
export interface WebhookOptions {
  /** Sent as it is, in place of the path of the connection's address, which is called as `plainPath` says. */
  readonly path?: string;
  /** Longer answers are a failure. Default 3 MiB. */
  readonly maxAnswerBytes?: number;
  /** So many calls at once; more wait, and that counts as a part of their time. Default 64. */
  readonly maxConnections?: number;
  /** What the server is called in the `Host` header, where that is not its address. */
  readonly host?: string;
  /** What time limits are measured with. */
  readonly clock?: Clock;
}

/** How one call is made. */
export interface WebhookCall {
  /** From the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without `?`; added to that of the path. */
  readonly query?: string;
}

/** A server that answers one JSON document with another. */
export interface Webhook {
  /**
   * The answer to a document, parsed. Never follows a redirect, and repeats a call only where a kept connection turns out to be closed
   * before anything came back.
   * Throws `TransportFailure`: `refused-answer` for a status outside 200-299, `garbage` for an answer that is no JSON, and what `createHttpClient` throws.
   */
  call(document: unknown, call: WebhookCall): Promise<unknown>;
  /** Lets go of all connections. */
  close(): void;
}

const MAX_ANSWER_BYTES = 3 * 1024 * 1024;
/** A slow webhook is to hold up who asks it, and not those behind them. */
const MAX_CONNECTIONS = 64;
/** So much of an answer stands in the message of a failure. */
const MAX_QUOTED = 512;

/** Opens nothing until the first call; connections are kept between calls. @spec 4.12 */
export function openWebhook(connection: Connection, options: WebhookOptions = {}): Webhook {
  const { path, maxAnswerBytes = MAX_ANSWER_BYTES, maxConnections = MAX_CONNECTIONS, host, clock = systemClock } = options;
  const { origin, pathname } = new URL(connection.server);
  const at = path ?? plainPath(pathname);
  const http = createHttpClient({ ...connection, server: origin }, { maxAnswerBytes, maxConnections, repeatsOnStaleConnections: true });
  const called = host === undefined ? {} : { host };
  return {
    async call(document, { timeoutMs, signal, headers, query }) {
      const late = new AbortController();
      const cancel = clock.after(timeoutMs, () => late.abort());
      const answer = await http
        .request({
          method: 'POST',
          path: query === undefined ? at : `${at}?${query}`,
          headers: { ...headers, ...called, 'content-type': 'application/json', accept: 'application/json, */*' },
          body: jsonText(document),
          signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
        })
        .catch((cause: unknown) => {
          throw late.signal.aborted ? new TransportFailure('timeout', `${http.origin} did not answer within ${timeoutMs} ms`, { cause }) : cause;
        })
        .finally(cancel);
      if (answer.status < 200 || answer.status > 299) {
        const { status } = answer;
        const redirect = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
        throw new TransportFailure('refused-answer', `${http.origin} answered with status ${status}${redirect}: ${quote(textOf(answer.body))}`, { status });
      }
      return parse(answer.body, http.origin);
    },
    close: () => http.close(),
  };
}

/** Large integers of objects travel through webhooks as they are. */
function parse(body: Uint8Array, origin: string): unknown {
  try {
    return parseJson(body);
  } catch (cause) {
    throw new TransportFailure('garbage', `${origin} answered with something that is no JSON: ${quote(textOf(body))}`, { cause });
  }
}

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

/** On one line, so that it cannot pretend to be another message. */
const quote = (text: string): string => JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
