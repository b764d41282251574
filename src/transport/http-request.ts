import { request as requestPlain, Agent as PlainAgent, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { isLoopback, setImmediate } from '#base';
import type { Connection } from './connection.ts';
import { failureOf, givenUp, TransportFailure, unasked } from './failure.ts';
import { IDLE_MS, MAX_HEAD_BYTES, PROBE_AFTER_MS } from './limits.ts';
import { lookUp } from './lookups.ts';
import { readAll, readChunks } from './read-chunks.ts';
import { tlsSettings } from './tls.ts';
import { traceHeaders } from './trace-context.ts';
import { TrustingAgent } from './trusting-agent.ts';

/** A request, without the server's address. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, relative to the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

/** A complete response; header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** A response whose body is still arriving. The caller reads `chunks` to the end or stops reading: both release the connection. */
export interface HttpStream extends Omit<HttpAnswer, 'body'> {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** An HTTP client for one server. */
export interface HttpClient {
  /** The origin of the base address. */
  readonly origin: string;
  /** Sends a request; resolves with the complete response, whatever its status; redirects are not followed. Throws `TransportFailure`. */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Sends a request; resolves with the head of the response. Its body has no timeout. Throws `TransportFailure`, also while the body is read. */
  stream(request: HttpRequest): Promise<HttpStream>;
  /** Closes all connections. */
  close(): void;
}

/** Bounds of a client: timeouts, sizes and connections (8 by default). */
export interface HttpClientOptions {
  /** Longer responses fail. Default 256 MiB. Streams have no bound. */
  readonly maxAnswerBytes?: number;
  /** Idle timeout of a connection in use. Default 60 s. For streams: until the head has arrived. */
  readonly silenceMs?: number;
  readonly maxConnections?: number;
  /**
   * Repeats a request when a kept-alive connection turns out to be closed before any byte of the response. Only for requests that may arrive twice.
   */
  readonly repeatsOnStaleConnections?: boolean;
}

/** A client for one server. Connections are kept alive between calls; certificates are verified unless the connection says otherwise. */
export function createHttpClient(connection: Connection, options: HttpClientOptions = {}): HttpClient {
  const { maxAnswerBytes = 256 * 1024 * 1024, silenceMs = 60_000, maxConnections = 8, repeatsOnStaleConnections = false } = options;
  const base = new URL(connection.server);
  let line = openLine(connection, base, maxConnections);
  let shown = connection.clientCertificate;
  /** An invalid certificate is ignored: its files may be replaced one after the other. */
  const renew = async (): Promise<void> => {
    const current = await connection.clientCertificate?.current?.();
    if (current === undefined || (current.cert === shown?.cert && current.key === shown.key)) return;
    try {
      const next = openLine({ ...connection, clientCertificate: current }, base, maxConnections);
      retire(line);
      line = next;
      shown = current;
    } catch (cause) {
      if (!(cause instanceof TransportFailure)) throw cause;
    }
  };
  const send = async (request: HttpRequest): Promise<IncomingMessage> => {
    await renew();
    const token = await connection.token?.();
    const headers = { ...request.headers, ...traceHeaders(), ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    if (!repeatsOnStaleConnections) await closingsHeard(line);
    return exchange(line, base, { ...request, headers }, silenceMs, repeatsOnStaleConnections);
  };
  return {
    origin: base.origin,
    async request(request) {
      const message = await send(request);
      return { ...headOf(message), body: await readAll(readChunks(message, base.origin), maxAnswerBytes, base.origin) };
    },
    async stream(request) {
      const message = await send(request);
      message.socket.setTimeout(0);
      return { ...headOf(message), chunks: readChunks(message, base.origin) };
    },
    close: () => line.agent.destroy(),
  };
}

/** Connections are kept between calls. The agent closes none that is in use for being silent. */
const KEPT = { keepAlive: true, keepAliveMsecs: PROBE_AFTER_MS, timeout: IDLE_MS } as const;

/** What differs between HTTP and HTTPS. */
interface Line {
  readonly send: typeof requestPlain;
  readonly agent: PlainAgent;
}

function openLine(connection: Connection, base: URL, maxSockets: number): Line {
  if (base.protocol === 'https:') {
    const settings = { ...KEPT, maxSockets, ...tlsSettings(connection) };
    const { authority, isVerified } = connection;
    return { send: requestSecure, agent: authority === undefined || !isVerified ? new SecureAgent(settings) : new TrustingAgent(authority, settings) };
  }
  if (connection.token !== undefined && !isLoopback(base.hostname)) {
    throw new TransportFailure('configuration', `a token is not sent to ${base.origin} without encryption: use https`);
  }
  return { send: requestPlain, agent: new PlainAgent({ ...KEPT, maxSockets }) };
}

/** Lets calls in progress finish and keeps no connection. */
function retire({ agent }: Line): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/**
 * Resolves when Node has dropped the kept connections that their server has closed by now: a request on one of them fails, and nobody knows whether it
 * has arrived. One turn of the event loop hears what has come in before it, unless that turn has begun already.
 */
async function closingsHeard({ agent }: Line): Promise<void> {
  for (let turn = 0; turn < 2 && Object.keys(agent.freeSockets).length > 0; turn++) await new Promise((resolve) => void setImmediate(resolve));
}

function exchange(line: Line, base: URL, request: HttpRequest, silenceMs: number, mayRepeat: boolean): Promise<IncomingMessage> {
  const { send, agent } = line;
  const { method, headers = {}, body, signal } = request;
  const to: RequestOptions = {
    host: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    path: base.pathname.replace(/\/$/, '') + request.path,
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    maxHeaderSize: MAX_HEAD_BYTES,
    agent,
    lookup: lookUp,
    ...(signal === undefined ? {} : { signal }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = send(to, resolve);
    outgoing.on('upgrade', ({ statusCode: status = 0 }: IncomingMessage, socket: Duplex) => {
      socket.destroy();
      reject(unasked(base.origin, status));
    });
    // The agent does so between calls only.
    outgoing.on('socket', (socket) => socket.setKeepAlive(true, PROBE_AFTER_MS));
    outgoing.setTimeout(silenceMs, () => outgoing.destroy(silent(base.origin, silenceMs)));
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      const isStale = mayRepeat && outgoing.reusedSocket && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE');
      if (isStale) resolve(exchange(line, base, request, silenceMs, mayRepeat));
      else reject(failureOf(cause, base.origin));
    });
    // Node reports the timeout of a request that waits for a connection only once it gets one.
    const giveUp = (): void => reject(givenUp(signal?.reason, base.origin));
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    outgoing.once('close', () => signal?.removeEventListener('abort', giveUp));
    outgoing.end(body);
  });
}

const silent = (origin: string, silenceMs: number): TransportFailure =>
  new TransportFailure('timeout', `${origin} said nothing for ${Math.round(silenceMs / 1000)} s`);

const headOf = (message: IncomingMessage): Omit<HttpAnswer, 'body'> => ({ status: message.statusCode ?? 0, headers: message.headers });
