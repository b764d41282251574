import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAnswers, busyWith } from './after-answers.ts';
import { Http1Exchange, type ConnectionTerms } from './http1.ts';
import type { Http1Message, Http1Server } from './http1-message.ts';
import { validHeader } from './valid-header.ts';
import type { ResponseHead } from './response-writer.ts';

/** Protocols that a connection can be upgraded to. Offers of others (`h2c`) are ignored: the request is answered as if it offered none. */
const PROTOCOLS: ReadonlySet<string> = new Set(['spdy/3.1', 'websocket']);

/** A request to upgrade the connection. It has no body. An ordinary response is the last one on its connection. */
class UpgradeExchange extends Http1Exchange {
  override readonly upgrade: string;
  readonly #socket: Socket;
  readonly #response: ServerResponse;

  constructor(request: Http1Message, response: ServerResponse, terms: ConnectionTerms, socket: Socket) {
    super(request, response, terms);
    this.upgrade = request.headers.upgrade ?? '';
    this.#socket = socket;
    this.#response = response;
  }

  override get isGone(): boolean {
    return this.#socket.destroyed;
  }

  override onGone(run: () => void): void {
    this.#socket.once('close', run);
  }

  handOver({ status, headers, warnings }: ResponseHead): Duplex {
    const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${validHeader(name, one)}`));
    const more = warnings.map((warning) => `warning: ${warning}`);
    this.#response.detachSocket(this.#socket);
    this.#socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, ...more, '', ''].join('\r\n'), 'latin1');
    return this.#socket;
  }
}

/**
 * Whether Node may emit `upgrade` for a request: `shouldUpgradeCallback`, which Node 22.21, 24.9 and newer call. An upgrade request with a body stays
 * an ordinary one: for Node 26 the body is a part of the request, and where its bytes are still arriving there is no socket to hand over.
 */
export function isUpgradable(request: Http1Message): boolean {
  if (!hasBody(request)) return true;
  request.isLast = true;
  return false;
}

type OnUpgrade = (exchange: UpgradeExchange, request: Http1Message, socket: Socket) => void;

/** Passes upgrade requests of `server` to `onRequest`. Those whose protocol is not supported go back to the server without the offer. */
export function handleUpgrades(server: Http1Server, terms: ConnectionTerms, onRequest: OnUpgrade): void {
  const handle = (request: Http1Message, socket: Socket, early: Buffer): void => {
    if (hasBody(request) || !PROTOCOLS.has((request.headers.upgrade ?? '').toLowerCase())) {
      socket.unshift(Buffer.concat([headWithout(request), early]));
      server.emit('connection', socket);
      return;
    }
    socket.on('error', () => socket.destroy());
    if (early.length > 0) socket.unshift(early);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    onRequest(new UpgradeExchange(request, response, terms, socket), request, socket);
  };
  server.on('upgrade', (request: Http1Message, stream: Duplex, early: Buffer) => {
    const socket = stream as Socket;
    const letGo = keepOpen(socket);
    afterAnswers(socket, () => {
      letGo();
      handle(request, socket, early);
    });
  });
}

/**
 * Does what Node no longer does for the connection of a request to upgrade it, or to CONNECT, while earlier answers still leave: it tells them that there
 * is room to go on, and closes when the client has left. Returns how to stop that.
 */
export function keepOpen(socket: Socket): () => void {
  const goOn = (): void => void busyWith(socket)?.emit('drain');
  const close = (): void => void socket.destroy();
  socket.on('drain', goOn).on('error', close).on('end', close);
  return () => void socket.off('drain', goOn).off('error', close).off('end', close);
}

/** Clients that open a tunnel send no body, and there is no agreement on whether it would be the first data of the tunnel. */
const hasBody = ({ headers }: Http1Message): boolean => headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** The head of a request as it arrived, without the upgrade headers. */
function headWithout({ method, url, httpVersion, rawHeaders }: Http1Message): Buffer {
  const lines: string[] = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    if (/^(?:upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? withoutOffer(value) : value}`);
  }
  return Buffer.from([...lines, '', ''].join('\r\n'), 'latin1');
}

const withoutOffer = (connection: string): string =>
  connection
    .split(',')
    .map((word) => word.trim())
    .filter((word) => !/^(?:upgrade|http2-settings)$/i.test(word))
    .join(', ') || 'keep-alive';
