import { takeTurns } from '#base';
import type { Exchange } from './exchange.ts';
import { checkFunction, checkHeaders } from './given.ts';

/** A request as a server in this process takes it; the shape of its `exchange`. */
export interface LocalRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

interface LocalHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export type LocalAnswer = LocalHead & ({ readonly body: Uint8Array } | { readonly stream: AsyncIterable<Uint8Array> });

export type LocalEvents = LocalAnswer | { readonly events: AsyncIterable<readonly unknown[]> };

/**
 * Straight into a server of this process, without a socket:
 *
 *     const client = createClient(exchangeLocal(server.exchange, { authorization: `Bearer ${token}` }));
 *
 * `watch`: hands over the events of a watch as values, in batches.
 */
export function exchangeLocal(
  ask: (request: LocalRequest) => Promise<LocalAnswer>,
  headers: Readonly<Record<string, string>> = {},
  watch?: (request: LocalRequest) => Promise<LocalEvents>,
): Exchange {
  checkFunction('exchangeLocal', ask, 'a function, server.exchange');
  checkHeaders('exchangeLocal', headers);
  const complete = (request: LocalRequest): LocalRequest => ({ ...request, headers: { ...headers, ...request.headers } });
  const send: typeof ask = (request) => ask(complete(request));
  return {
    request: async (request) => whole(await send(request)),
    async stream(request) {
      const answer = await send(request);
      const { status, headers: answered } = answer;
      return { status, headers: answered, chunks: 'stream' in answer ? inTurns(answer.stream) : only(answer.body) };
    },
    ...(watch === undefined
      ? {}
      : {
          async events(request) {
            const answer = await watch(complete(request));
            return 'events' in answer ? { events: inTurns(answer.events) } : whole(answer);
          },
        }),
    close: () => {},
  };
}

async function* inTurns<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const piece of pieces) {
    yield piece;
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
}

async function whole(answer: LocalAnswer): Promise<LocalHead & { readonly body: Uint8Array }> {
  const { status, headers } = answer;
  if ('body' in answer) return { status, headers, body: answer.body };
  const all: Uint8Array[] = [];
  for await (const chunk of answer.stream) all.push(chunk);
  return { status, headers, body: Buffer.concat(all) };
}

async function* only(chunk: Uint8Array): AsyncIterable<Uint8Array> {
  yield chunk;
}
