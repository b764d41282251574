import { isJsonObject, memberOf, parseJson } from '#base';
import { ApiError, REASONS, type ErrorDetails, type Reason } from '#errors';
import { readJsonLines, type HttpRequest } from '#transport';
import type { Exchange } from './exchange.ts';

/** Requests with JSON answers. Refusals are thrown as `ApiError`, missing answers as `TransportFailure`. */
export interface Caller {
  ask(request: HttpRequest): Promise<unknown>;
  /** The values of a stream of JSON lines, those together that came together. Leaving the loop ends the stream. */
  follow(request: HttpRequest): Promise<AsyncIterable<readonly unknown[]>>;
}

/** Calls over an exchange, each with these headers beside its own. */
export function createCaller(exchange: Exchange, headers: Readonly<Record<string, string>>): Caller {
  const complete = (request: HttpRequest): HttpRequest => ({ ...request, headers: { accept: 'application/json', ...headers, ...request.headers } });
  return {
    async ask(request) {
      const { status, body } = await exchange.request(complete(request));
      if (status >= 200 && status < 300) return parseJson(body);
      throw refusal(status, body);
    },
    async follow(request) {
      if (exchange.events !== undefined) {
        const answer = await exchange.events(complete(request));
        if ('events' in answer) return answer.events;
        throw refusal(answer.status, answer.body);
      }
      const { status, chunks } = await exchange.stream(complete(request));
      if (status === 200) return oneByOne(readJsonLines(chunks, parseJson));
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      throw refusal(status, Buffer.concat(all));
    },
  };
}

async function* oneByOne(values: AsyncIterable<unknown>): AsyncGenerator<readonly unknown[]> {
  for await (const value of values) yield [value];
}

function refusal(status: number, body: Uint8Array): ApiError {
  try {
    return statusError(parseJson(body), status);
  } catch {
    // Proxies refuse in HTML: the code says enough.
    return statusError(undefined, status);
  }
}

/** The failure that a Status tells of; `value` may be anything a server can answer with. */
export function statusError(value: unknown, status: number): ApiError {
  const body = isJsonObject(value) && memberOf(value, 'kind') === 'Status' ? value : {};
  const [reason, message, details, code] = ['reason', 'message', 'details', 'code'].map((name) => memberOf(body, name));
  return new ApiError(
    typeof reason === 'string' && Object.hasOwn(REASONS, reason) ? (reason as Reason) : '',
    typeof message === 'string' ? message : `the server answered ${status} without a reason`,
    isJsonObject(details) ? (details as ErrorDetails) : undefined,
    { code: typeof code === 'number' ? code : status },
  );
}

/** The answer, or undefined where there is no such object (or no such resource). */
export async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (cause) {
    if (isRefusal(cause, 'NotFound')) return undefined;
    throw cause;
  }
}

/** Whether a call failed for one of these reasons. */
export const isRefusal = (cause: unknown, ...reasons: readonly Reason[]): cause is ApiError =>
  cause instanceof ApiError && (reasons as readonly string[]).includes(cause.reason);
