import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Http1Exchange } from './http1.ts';
import type { Http1Message, Http1Server } from './http1-message.ts';
import { validHeader } from './valid-header.ts';
import type { Head } from './wire.ts';

/** Protocols that a connection can go on with. Offers of others (`h2c`) are not taken up: the request is answered as if there were none. */
const PROTOCOLS: ReadonlySet<string> = new Set(['spdy/3.1', 'websocket']);

/** A request that wants to go on with another protocol. It has no body. An ordinary answer is the last one on its connection. */
class UpgradeExchange extends Http1Exchange {
  override readonly upgrade: string;
  readonly #socket: Socket;
  readonly #response: ServerResponse;

  constructor(request: Http1Message, response: ServerResponse, isClosing: () => boolean, socket: Socket) {
    super(request, response, isClosing);
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

  handOver({ status, headers, warnings }: Head): Duplex {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${validHeader(name, value)}`);
    const more = warnings.map((warning) => `warning: ${warning}`);
    this.#response.detachSocket(this.#socket);
    this.#socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, ...more, '', ''].join('\r\n'));
    return this.#socket;
  }
}

/**
 * Whether Node may take a request out of the ordinary way: `shouldUpgradeCallback`, which 22.21, 24.9 and newer ask, older ones do not.
 * An offer with a body stays: to Node 26 the body is a part of the request, and where it still comes there is no socket to hand over.
 */
export function mayLeave(request: Http1Message): boolean {
  if (!hasBody(request)) return true;
  request.isLast = true;
  return false;
}

/** Takes requests for another protocol out of the ordinary way of `server`. Those whose offer is not taken up come back to it without the offer. */
export function takeUpgrades(server: Http1Server, isClosing: () => boolean, onRequest: (exchange: UpgradeExchange, request: Http1Message, socket: Socket) => void): void {
  server.on('upgrade', (request: Http1Message, stream: Duplex, early: Buffer) => {
    const socket = stream as Socket & { readonly _httpMessage?: unknown };
    // An earlier request on this connection still waits for its answer: no other may overtake it.
    if (socket._httpMessage !== undefined && socket._httpMessage !== null) return void socket.destroy();
    if (hasBody(request) || !PROTOCOLS.has((request.headers.upgrade ?? '').toLowerCase())) {
      socket.unshift(Buffer.concat([headWithout(request), early]));
      server.emit('connection', socket);
      return;
    }
    socket.on('error', () => socket.destroy());
    socket.setTimeout(0);
    if (early.length > 0) socket.unshift(early);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    onRequest(new UpgradeExchange(request, response, isClosing, socket), request, socket);
  });
}

/** Nobody who opens a tunnel sends one, and whether it would be the first of what goes through it is not agreed. */
const hasBody = ({ headers }: Http1Message): boolean => headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** The head of a request as it came, without the offer of another protocol. */
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
