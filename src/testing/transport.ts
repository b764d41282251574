import type { RunningServer } from '#server';
import { keepingAwake } from './keeping-awake.ts';

/** A request of a test. */
export interface TestRequest {
  readonly method: string;
  /** Path and query, as in a request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** Status and headers of a response; header names in lower case. */
export interface TestHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface TestStream extends TestHead {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Sends requests to the server. */
export interface Transport {
  /** Sends a request and reads the whole response. */
  send(request: TestRequest): Promise<TestHead & { readonly bytes: Uint8Array }>;
  /** Sends a request and streams the response. Aborting `stop` cancels it. */
  open(request: TestRequest, stop: AbortSignal): Promise<TestStream>;
  close(): Promise<void>;
}

/** The header that announces a body: Node leaves it out over HTTP/2, and over HTTP/1.1 of a DELETE. */
export const lengthOf = (body: TestRequest['body']): Readonly<Record<string, string>> => (body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` });

/** Calls the server in process, without a socket. */
export function inProcess(server: RunningServer): Transport {
  return {
    async send(request) {
      const answer = await keepingAwake(server.exchange(request));
      if (!('body' in answer)) throw new Error(`${request.method} ${request.path} answers with a stream: use watch`);
      return { status: answer.status, headers: answer.headers, bytes: answer.body };
    },
    async open(request, stop) {
      const answer = await keepingAwake(server.exchange({ ...request, signal: stop }));
      const chunks = 'stream' in answer ? answer.stream : justOne(answer.body);
      return { status: answer.status, headers: answer.headers, chunks };
    },
    close: () => Promise.resolve(),
  };
}

async function* justOne(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
