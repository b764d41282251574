import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '#base';
import { websocketClose, websocketFrame, WebsocketListener, type WebsocketSignal } from '#codec';
import type { Outlet } from '#request';

/** A client that does not accept the close frame within this time is disconnected. */
const FAREWELL_MS = 10_000;
/** A client that takes so long for what was written at once is disconnected, as without a WebSocket. */
const STALL_TIMEOUT_MS = 30_000;

/** An `Outlet` on a connection that was upgraded to a WebSocket. A client that takes nothing for `stallTimeoutMs` while something waits for it is disconnected. */
export class WebsocketOutlet implements Outlet {
  readonly writesMessages = true;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  readonly #client: Duplex;
  readonly #messageOf: (piece: Uint8Array) => Uint8Array;
  readonly #listener = new WebsocketListener();
  readonly #controller = new AbortController();
  readonly #stallTimeoutMs: number;
  /** Set while the client is to take what was written. */
  #stallTimer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Who waits for the client to take what was written. */
  #waiters: (() => void)[] = [];

  /** `messageOf`: the message for a piece of what is sent. */
  constructor(client: Duplex, messageOf: (piece: Uint8Array) => Uint8Array, stallTimeoutMs = STALL_TIMEOUT_MS) {
    this.#client = client;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#messageOf = messageOf;
    this.closed = new Promise((resolve) => {
      client.once('close', () => {
        this.#isOver = true;
        this.shutdown();
        this.#wake();
        resolve();
      });
    });
    client.on('drain', () => this.#wake());
    client.on('error', () => client.destroy());
    client.on('end', () => this.shutdown());
    client.on('data', (bytes: Buffer) => this.#listener.take(bytes).forEach((signal) => this.#hear(signal)));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  open(): void {
    // The answer to the handshake has left long ago.
  }

  /** Makes the message only now: what waits for its client elsewhere is the piece, which others share. */
  write(piece: Uint8Array): boolean {
    return this.#send(this.#messageOf(piece));
  }

  #send(message: Uint8Array): boolean {
    if (this.#isOver || this.#client.write(message)) return true;
    this.#stallTimer ??= setTimeout(() => this.#client.destroy(), this.#stallTimeoutMs).unref();
    return false;
  }

  drained(): Promise<void> {
    if (this.#isOver || !this.#client.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  shutdown(): void {
    this.#controller.abort();
  }

  /** Sends a close frame, and closes the connection. */
  end(code: 1000 | 1002 = 1000): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#client.end(websocketClose(code));
    const cut = setTimeout(() => this.#client.destroy(), FAREWELL_MS).unref();
    this.#client.once('finish', () => this.#client.destroy());
    this.#client.once('close', () => clearTimeout(cut));
  }

  #wake(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #hear(signal: WebsocketSignal): void {
    if (signal.is === 'ping') return this.#answerPing(signal.payload);
    this.end(signal.is === 'error' ? 1002 : 1000);
    this.shutdown();
  }

  /** Only the last of several pings has to be answered, so pings of a client that does not read are dropped. */
  #answerPing(payload: Uint8Array): void {
    if (!this.#client.writableNeedDrain) this.#send(websocketFrame('pong', payload));
  }
}
