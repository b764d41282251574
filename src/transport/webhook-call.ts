import { abortedBy, jsonText, parseWrittenJson, systemClock, wait, type Clock } from '#base';
import { foreignAnswer } from '#errors';
import type { Connection } from './connection.ts';
import { TransportFailure } from './failure.ts';
import { createHttpClient, type HttpAnswer } from './http-request.ts';
import { sendingClient, type Send } from './sending-client.ts';
import { asksForPatience } from './passing-failure.ts';
import { plainPath } from './plain-path.ts';

/** Options of all calls of a webhook. */
export interface WebhookOptions {
  /** Sent as it is, instead of the path in the connection's address, which is normalized by `plainPath`. */
  readonly path?: string;
  /** Longer responses fail. Default 3 MiB. */
  readonly maxAnswerBytes?: number;
  /** Concurrent calls; further ones wait, and the wait counts towards their timeout. Default 64. */
  readonly maxConnections?: number;
  /**
   * Repeats a call where a kept-alive connection turns out to be closed before any byte of the response: it may have arrived. Only for webhooks whose
   * calls change nothing.
   */
  readonly mayBeCalledTwice?: boolean;
  /** The `Host` header, where it differs from the address. */
  readonly host?: string;
  /** Measures timeouts. */
  readonly clock?: Clock;
  /** Sends the requests in place of a connection. */
  readonly send?: Send;
}

/** Options of one call. */
export interface WebhookCall {
  /** From the call to the last byte of the response. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without `?`; appended to the query of the path. */
  readonly query?: string;
}

/** A webhook: a server that answers one JSON document with another. */
export interface Webhook {
  /**
   * Posts a document; resolves with the parsed response. Follows no redirect, and repeats a call only where `mayBeCalledTwice` says so, or where the
   * response says when to ask again. Throws `TransportFailure`: `refused-answer` for a status
   * outside 200-299, `garbage` for a response that is no JSON, and what `createHttpClient` throws.
   */
  call(document: unknown, call: WebhookCall): Promise<unknown>;
  /** Closes all connections. */
  close(): void;
}

const MAX_ANSWER_BYTES = 3 * 1024 * 1024;
/** A slow webhook must delay only its own callers. */
const MAX_CONNECTIONS = 64;
/** Characters of a response that are quoted in an error message. */
const MAX_QUOTED = 512;

/** A client for a webhook. Opens no connection before the first call and keeps them alive between calls. @spec 4.12 */
export function openWebhook(connection: Connection, options: WebhookOptions = {}): Webhook {
  const { path, maxAnswerBytes = MAX_ANSWER_BYTES, maxConnections = MAX_CONNECTIONS, mayBeCalledTwice = false, host, clock = systemClock, send } = options;
  const { origin, pathname } = new URL(connection.server);
  const at = path ?? plainPath(pathname);
  const http =
    send === undefined
      ? createHttpClient({ ...connection, server: origin }, { maxAnswerBytes, maxConnections, repeatsOnStaleConnections: mayBeCalledTwice })
      : sendingClient(origin, send, maxAnswerBytes);
  const called = host === undefined ? {} : { host };
  return {
    async call(document, { timeoutMs, signal, headers, query }) {
      const end = abortedBy(signal);
      let isLate = false;
      const cancel = clock.after(timeoutMs, () => {
        isLate = true;
        end.abort();
      });
      const request = {
        method: 'POST',
        path: query === undefined ? at : `${at}?${query}`,
        headers: { ...headers, ...called, 'content-type': 'application/json', accept: 'application/json, */*' },
        body: jsonText(document),
        signal: end.signal,
      };
      const answer = await askPatiently(() => http.request(request), clock, end.signal)
        .catch((cause: unknown) => {
          throw isLate ? new TransportFailure('timeout', `${http.origin} did not answer within ${timeoutMs} ms`, { cause }) : cause;
        })
        .finally(() => {
          cancel();
          end.abort();
        });
      if (answer.status < 200 || answer.status > 299) {
        const { status } = answer;
        const isRedirect = status >= 300 && status < 400;
        const message = `${http.origin} answered with status ${status}${isRedirect ? ' (redirects are not followed)' : ''}: ${quote(textOf(answer.body))}`;
        throw new TransportFailure('refused-answer', message, { status, told: isRedirect ? undefined : wordsOf(answer) });
      }
      return parse(answer.body, http.origin);
    },
    close: () => http.close(),
  };
}

/** How often a webhook is asked again that says when. */
const MAX_REPEATS = 10;

/** Asks again where the response is that of a server in trouble, and says after how many seconds. */
async function askPatiently(ask: () => Promise<HttpAnswer>, clock: Clock, signal: AbortSignal): Promise<HttpAnswer> {
  for (let repeats = 0; ; repeats++) {
    const answer = await ask();
    const [, seconds] = /^(\d{1,5})$/.exec(String(answer.headers['retry-after'])) ?? [];
    if (seconds === undefined || !asksForPatience(answer.status) || repeats === MAX_REPEATS) return answer;
    if (Number(seconds) > 0) await wait(clock, Number(seconds) * 1000, signal);
  }
}

/** Characters of a response that messages for clients repeat. */
const MAX_TOLD = 2048;

/** A `Status` of the API, which has words of its own. */
const STATUS = /"kind"\s*:\s*"Status"/;

/** What a response says that is no success; undefined: it says so in words of its own. */
function wordsOf({ status, headers, body }: HttpAnswer): string | undefined {
  const mediaType = String(headers['content-type'] ?? 'text/plain');
  if (/json/i.test(mediaType) && STATUS.test(textOf(body.subarray(0, MAX_TOLD)))) return undefined;
  const text = /^text\//i.test(mediaType) ? textOf(body.subarray(0, MAX_TOLD)).trim() : 'unknown';
  const { message, isInOwnWords } = foreignAnswer(status, text);
  return isInOwnWords ? undefined : message;
}

/** Parsed so that large integers in objects keep their value. */
function parse(body: Uint8Array, origin: string): unknown {
  try {
    return parseWrittenJson(body);
  } catch (cause) {
    throw new TransportFailure('garbage', `${origin} answered with something that is no JSON: ${quote(textOf(body))}`, { cause });
  }
}

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

/** Quoted on one line, so that a response cannot forge another log message. */
const quote = (text: string): string => JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
