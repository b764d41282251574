import { disposal, isBytes, shownValue } from '#base';
import { startServer, type RunningServer, type ServerOptions } from '#server';
import { overHttp1 } from './http1-transport.ts';
import { overHttp2 } from './http2-transport.ts';
import { AdvancedClock, type TestClock } from './test-clock.ts';
import type { TestJson } from './test-json.ts';
import { readEvents, type TestWatch } from './test-watch.ts';
import { inProcess, type Transport } from './transport.ts';

/** A response with its body parsed as JSON. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined` when the body is not JSON; then see `text` or `bytes`. */
  readonly body: TestJson;
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** The four forms of PATCH. */
export type PatchForm = 'json' | 'merge' | 'strategic' | 'apply';

const PATCH_TYPES: Readonly<Record<PatchForm, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Request headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** A whole API server in a test, started within milliseconds, without sockets unless asked for. */
export interface TestServer {
  readonly server: RunningServer;
  /** The clock of the server: `server.clock.advance('24h')`. */
  readonly clock: TestClock;
  /**
   * Sends a request as the administrator, or with the token in `headers`; an empty `authorization` sends no credentials.
   * A `body` that is an object is sent as JSON; text and bytes are sent as they are.
   */
  request(method: string, path: string, body?: unknown, headers?: Headers): Promise<TestAnswer>;
  /** Sends a PATCH with the content type of `form`. */
  patch(form: PatchForm, path: string, body: unknown, headers?: Headers): Promise<TestAnswer>;
  /** Opens a watch. Rejects with status and body of a response other than 200. */
  watch(path: string, headers?: Headers): Promise<TestWatch>;
  close(): Promise<void>;
  /** Closes at the end of a block: `await using server = await startTestServer()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The static tokens of a test server: an administrator, a member of group `dev`, and a user without groups. */
export const TEST_TOKENS = { admin: 'admintoken', alice: 'alicetoken', bob: 'bobtoken' } as const;

const TOKEN_FILE = `${TEST_TOKENS.admin},admin,admin,"system:masters"\n${TEST_TOKENS.alice},alice,alice,"dev"\n${TEST_TOKENS.bob},bob,bob\n`;

/** The options of a server; by default without a socket. */
export interface TestServerOptions extends ServerOptions {
  /** The transport of requests. Default: in process. `http2` needs `listen` with a certificate. */
  readonly over?: 'process' | 'http1' | 'http2';
}

/** Starts a server in memory, without a socket unless the options say otherwise. Its clock is `clock`, or real time that `advance` moves ahead. */
export async function startTestServer({ over = 'process', ...options }: TestServerOptions = {}): Promise<TestServer> {
  const listen = over === 'process' ? { listen: false as const } : {};
  const clock = clockOf(options);
  const server = await startServer({ ...listen, tokens: TOKEN_FILE, shutdownGraceMs: 1000, ...options, clock });
  const transport = await connect(server, over).catch(async (cause: unknown) => {
    await server.close();
    throw cause;
  });
  const request: TestServer['request'] = async (method, path, body, headers = {}) => {
    const { status, headers: answered, bytes } = await transport.send({ method, path, headers: headersFor(body, headers), ...bodyOf(body) });
    const text = new TextDecoder().decode(bytes);
    return { status, headers: answered, bytes, text, body: parse(text) };
  };
  const close = async (): Promise<void> => {
    // A watch that is open ends with the server; a connection waits for it.
    try {
      await server.close();
    } finally {
      await transport.close();
    }
  };
  return {
    server,
    clock,
    request,
    async patch(form, path, body, headers = {}) {
      const type = (PATCH_TYPES as Readonly<Record<string, string>>)[form];
      if (type === undefined) throw new TypeError(`patch takes as its form one of ${Object.keys(PATCH_TYPES).join(', ')}, not ${shownValue(form)}`);
      return request('PATCH', path, body, { 'content-type': type, ...headers });
    },
    async watch(path, headers = {}) {
      const stop = new AbortController();
      const stream = await transport.open({ method: 'GET', path, headers: headersFor(undefined, headers) }, stop.signal);
      const watch = readEvents(stream.headers, stream.chunks, stop);
      if (stream.status === 200) return watch;
      throw new Error(`GET ${path} answers ${stream.status}: ${JSON.stringify(await watch.rest())}`);
    },
    close,
    ...disposal(close),
  };
}

const clockOf = ({ clock }: ServerOptions): TestClock => (clock !== undefined && 'advance' in clock ? (clock as TestClock) : new AdvancedClock(clock));

async function connect(server: RunningServer, over: 'process' | 'http1' | 'http2'): Promise<Transport> {
  if (over === 'process') return inProcess(server);
  if (server.url === undefined) throw new Error(`a test server over ${over} has to listen`);
  return over === 'http1' ? overHttp1(server.url) : overHttp2(server.url);
}

function headersFor(body: unknown, headers: Headers): Headers {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const all: Headers = { authorization: `Bearer ${TEST_TOKENS.admin}`, 'user-agent': 'orch-test', ...type, ...headers };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

function bodyOf(body: unknown): { readonly body?: string | Uint8Array } {
  if (body === undefined) return {};
  return { body: typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body) };
}

function parse(text: string): TestJson {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
