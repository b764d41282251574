import { createServer, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { methodNotAllowed } from '#errors';
import { afterAnswers, busyWith } from './after-answers.ts';
import { Http1Exchange, type ConnectionTerms } from './http1.ts';
import { Http1Message, type Http1Server } from './http1-message.ts';
import type { ConnectionLimits } from './limits.ts';
import { isUpgradable, handleUpgrades, keepOpen } from './upgrade.ts';

export interface Http1Handlers {
  readonly isClosing: () => boolean;
  onRequest(exchange: Http1Exchange, method: string, target: string, socket: Socket): void;
  /** A request that is to be answered with this status for its headers alone. Its connection ends with it. */
  onRefused(exchange: Http1Exchange, status: number, socket: Socket): void;
}

/** A separate constant, because the type declarations are those of the oldest supported Node and lack this option. */
const UPGRADES = { shouldUpgradeCallback: isUpgradable };

/** Serves HTTP/1.1 on sockets given to it through `emit('connection', socket)`; never listens by itself, and leaves idle connections open. */
export function createHttp1(limits: ConnectionLimits, handlers: Http1Handlers): Http1Server {
  const { isClosing } = handlers;
  const terms: ConnectionTerms = { isClosing, keepAlive: `timeout=${Math.floor(limits.idleTimeoutMs / 1000)}`, lingerMs: limits.lingerMs };
  const pass = (exchange: Http1Exchange, { method = 'GET', url = '/' }: Http1Message, refused: number | undefined, socket: Socket): void => {
    if (refused === undefined) handlers.onRequest(exchange, method, url, socket);
    else handlers.onRefused(exchange, refused, socket);
  };
  const answer = (request: Http1Message, response: ServerResponse<Http1Message>, refused: Refusal | undefined = refusedFor(request.rawHeaders, limits)): void => {
    readInTurn(request.socket);
    if (request.isLast || refused !== undefined) response.shouldKeepAlive = false;
    pass(new Http1Exchange(request, response, terms), request, refused, request.socket);
  };
  const server = createServer(
    {
      ...UPGRADES,
      IncomingMessage: Http1Message,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      requestTimeout: limits.requestTimeoutMs,
      // Connections close themselves (`Http1Connection`).
      keepAliveTimeout: 0,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // Whatever the process is told for clients of its own (`--insecure-http-parser`).
      insecureHTTPParser: false,
    },
    (request, response) => answer(request, response),
  );
  // Node would drop the headers beyond its count silently; requests with too many are refused above instead.
  server.maxHeadersCount = 0;
  // Leave is given where the body is asked for: a client that is refused before need not send it.
  server.on('checkContinue', (request, response) => void server.emit('request', request, response));
  // Node would keep the connection, and take the next request for the body that this one announced and its client may not send.
  server.on('checkExpectation', (request, response) => answer(request, response, 417));
  handleUpgrades(server, terms, (exchange, request, socket) => pass(exchange, request, refusedFor(request.rawHeaders, limits), socket));
  server.on('clientError', (failure: ParseFailure, socket) => refuse(failure, socket as Socket));
  // Without a listener Node closes the connection and says nothing.
  server.on('connect', (_request, stream) => {
    const socket = stream as Socket;
    keepOpen(socket);
    answerBare(socket, 405);
  });
  // Without this event Node's server neither tracks connections nor checks their timeouts.
  server.emit('listening');
  return server;
}

/** Statuses of requests that are refused for their headers alone. */
type Refusal = 400 | 417 | 431 | 501;

/** The status of a request that is refused for the names or the number of its headers. */
function refusedFor(raw: readonly string[], { maxHeaders }: ConnectionLimits): Refusal | undefined {
  // Node's size limit does not count separators, so very many tiny headers pass it.
  if (raw.length > maxHeaders * 2) return 431;
  let hosts = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (isNamed(name, HOST)) hosts++;
    // Node takes off the last coding and would hand out what is still in the others (RFC 9112 6.1).
    else if (isNamed(name, CODING) && raw[at + 1]?.toLowerCase() !== 'chunked') return 501;
  }
  // A proxy between client and server may have used the other `Host` (RFC 9112 3.2).
  return hosts > 1 ? 400 : undefined;
}

const HOST = 'host';
const CODING = 'transfer-encoding';
const LOWER = 0x20;

/** Whether a header has that name, in whatever case. */
const isNamed = (name: string, wanted: string): boolean =>
  name.length === wanted.length && (name.charCodeAt(0) | LOWER) === wanted.charCodeAt(0) && name.toLowerCase() === wanted;

/**
 * While an earlier response is still being written, Node stops reading from the connection. Bytes that TLS had already decrypted reach the HTTP
 * parser all the same, out of turn, and it rejects them as malformed; a `data` listener makes them go through the socket's stream instead, which
 * keeps them until the parser's turn.
 */
function readInTurn(socket: Socket & { readonly _paused?: boolean }): void {
  if (socket._paused !== true) return;
  socket.on('data', ignore).off('data', ignore);
  // The stream's state says that it is reading, as it was before the parser took over the handle: an empty push resets that.
  socket.push('');
}

const ignore = (): void => {};

const REFUSALS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What Node tells of bytes that it cannot read. */
type ParseFailure = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Connections that are closed once they are answered, whatever else comes over them. */
const ending = new WeakSet<Socket>();

/** Answers bytes that are no valid request. */
function refuse(failure: ParseFailure, socket: Socket): void {
  // Node tells of it again with each piece that comes.
  if (ending.has(socket) && failure.code !== 'ECONNRESET' && !socket.readableEnded) return;
  // Where its client has closed its side, nobody would notice that it has left before it is answered.
  const isLeft = socket.readableEnded && busyWith(socket)?.req.complete === true;
  if (!socket.writable || failure.code === 'ECONNRESET' || isLeft) {
    ending.add(socket);
    return socket.destroySoon();
  }
  answerBare(socket, asksForOtherMethod(failure) ? 405 : (REFUSALS[failure.code ?? ''] ?? 400));
}

/** Whether these bytes are a request but for a method that Node does not know; no resource has it either. */
function asksForOtherMethod({ code, rawPacket, bytesParsed = 0 }: ParseFailure): boolean {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return false;
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1;
  return REQUEST_LINE.test(rawPacket.toString('latin1', start, start + MAX_REQUEST_LINE));
}

const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ [!-~]+ HTTP\/1\.[01]\r\n/;
const MAX_REQUEST_LINE = 4096;

/** Answers with a status line and a short text, behind the answers to earlier requests, and closes the connection. */
function answerBare(socket: Socket, status: number): void {
  ending.add(socket);
  const line = `${status} ${STATUS_CODES[status] ?? ''}`;
  const [type, text] = status === 405 ? ['application/json', NOT_ALLOWED] : ['text/plain; charset=utf-8', line];
  const head = `HTTP/1.1 ${line}\r\nContent-Type: ${type}\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n`;
  afterAnswers(socket, () => {
    // A response that has begun cannot be followed by another.
    if (socket.writable && busyWith(socket)?.headersSent !== true) socket.end(head + text);
    socket.destroySoon();
  });
}

const NOT_ALLOWED = `${JSON.stringify(methodNotAllowed().toStatus())}\n`;
