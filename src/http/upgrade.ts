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
export class UpgradeExchange extends Http1Exchange {
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
 * Takes requests for another protocol out of the ordinary way of `server`. Requests that name a protocol nobody here speaks go to `plain`,
 * a server that does not know of upgrades, without the offer.
 */
export function takeUpgrades(server: Http1Server, plain: Http1Server, isClosing: () => boolean, onRequest: (exchange: UpgradeExchange, request: Http1Message, socket: Socket) => void): void {
  server.on('upgrade', (request: Http1Message, stream: Duplex, early: Buffer) => {
    const socket = stream as Socket & { readonly _httpMessage?: unknown };
    // An earlier request on this connection still waits for its answer: no other may overtake it.
    if (socket._httpMessage !== undefined && socket._httpMessage !== null) return void socket.destroy();
    if (!PROTOCOLS.has((request.headers.upgrade ?? '').toLowerCase())) {
      socket.unshift(Buffer.concat([headWithout(request), early]));
      plain.emit('connection', socket);
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
