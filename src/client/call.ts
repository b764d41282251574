import { isJsonObject, JsonSyntaxError, memberIn, parseWrittenJson, textAt } from '#base';
import { ApiError, foreignAnswer, isRefusal, REASONS, type ErrorDetails, type Reason } from '#errors';
import { readJsonLines, TransportFailure, type HttpRequest } from '#transport';
import type { Exchange } from './exchange.ts';
import { checkRequest } from './given.ts';

/** A successful response. */
export interface ApiAnswer {
  /** 200 to 299. */
  readonly status: number;
  readonly value: unknown;
}

/** Calls with JSON responses. Throws `ApiError` for error responses, `TransportFailure` where there is no response or the server is no API server. */
export interface Caller {
  answer(request: HttpRequest): Promise<ApiAnswer>;
  /** The body of the response. */
  ask(request: HttpRequest): Promise<unknown>;
  /** The values of a stream of JSON lines, in the batches they arrived in. Leaving the loop closes the stream. */
  follow(request: HttpRequest): Promise<AsyncIterable<readonly unknown[]>>;
}

/** A caller over an exchange that adds these headers to every request. */
export function createCaller(exchange: Exchange, headers: Readonly<Record<string, string>>): Caller {
  const { origin = 'the server' } = exchange;
  const parse = (bytes: Uint8Array): unknown => parseAnswer(bytes, origin);
  const complete = (what: string, request: HttpRequest): HttpRequest => {
    checkRequest(what, request);
    return { ...request, headers: { accept: 'application/json', ...headers, ...request.headers } };
  };
  const answer: Caller['answer'] = async (request) => {
    const { status, body } = await exchange.request(complete('ask', request));
    if (status >= 200 && status < 300) return { status, value: parse(body) };
    throw refusal(status, body, origin);
  };
  return {
    answer,
    ask: async (request) => (await answer(request)).value,
    async follow(request) {
      if (exchange.events !== undefined) {
        const events = await exchange.events(complete('follow', request));
        if ('events' in events) return events.events;
        throw refusal(events.status, events.body, origin);
      }
      const { status, chunks } = await exchange.stream(complete('follow', request));
      if (status === 200) return oneByOne(readJsonLines(chunks, parse));
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      throw refusal(status, Buffer.concat(all), origin);
    },
  };
}

async function* oneByOne(values: AsyncIterable<unknown>): AsyncGenerator<readonly unknown[]> {
  for await (const value of values) yield [value];
}

function parseAnswer(bytes: Uint8Array, origin: string): unknown {
  try {
    return parseWrittenJson(bytes);
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) throw new TransportFailure('garbage', `${origin} did not answer with JSON: is it an API server?`, { cause });
    throw cause;
  }
}

function refusal(status: number, body: Uint8Array, origin: string): ApiError | TransportFailure {
  if (status >= 300 && status < 400) {
    return new TransportFailure('refused-answer', `${origin} redirects elsewhere, which is not followed: is it an API server?`, { status });
  }
  try {
    return statusError(parseWrittenJson(body), status);
  } catch {
    // A proxy answers errors in HTML, and who serves a group that is away in plain text: the status code says enough.
    return statusError(undefined, status);
  }
}

/** The `ApiError` for a Status; `value` may be any response body. Where it says nothing, the words are those that clients have for its code. */
export function statusError(value: unknown, status: number): ApiError {
  const body = textAt(value, 'kind') === 'Status' ? value : undefined;
  const reason = textAt(body, 'reason');
  const details = memberIn(body, 'details');
  const code = memberIn(body, 'code');
  return new ApiError(
    Object.hasOwn(REASONS, reason) ? (reason as Reason) : '',
    textAt(body, 'message') || foreignAnswer(status, 'it gave no reason').message,
    isJsonObject(details) ? (details as ErrorDetails) : undefined,
    { code: typeof code === 'number' ? code : status },
  );
}

/** Whether what was asked for is not there, or nobody answers for its path at all, which is told without a Status and so without a reason. */
export const isAbsent = (cause: unknown): boolean => cause instanceof ApiError && cause.code === 404;

/** The result, or undefined on 404: the object or the resource does not exist. */
export async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (cause) {
    if (isRefusal(cause, 'NotFound')) return undefined;
    throw cause;
  }
}
