import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAwake, clearInterval, isLoopback, setInterval, silentLog, systemClock, type Clock, type Log } from '#base';
import type { Received, Reply } from '#request';
import type { ClientAuthorities } from './client-authorities.ts';
import { connectionFacts } from './client-certificate.ts';
import { compress } from './compress.ts';
import { Connections, type Http1Connection } from './connections.ts';
import { startQueueOf } from './start-queue.ts';
import { errorReply } from './error-reply.ts';
import type { Http1Exchange } from './http1.ts';
import { createHttp1 } from './http1-server.ts';
import { createHttp2 } from './http2-server.ts';
import { DEFAULT_LIMITS, type ConnectionLimits } from './limits.ts';
import { NO_BODY } from './read-body.ts';
import { Incoming, type RequestSource, type ConnectionFacts } from './received.ts';
import { sendReply, type SendOptions } from './reply.ts';
import { TlsFront, type ListenerTls } from './tls.ts';
import type { ResponseWriter } from './response-writer.ts';

/** Where and how to listen, and the handler of its requests. */
export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: plain HTTP/1.1, allowed on loopback addresses only. */
  readonly tls?: ListenerTls;
  /** Answers one request. May reject: the response is then a Status. */
  readonly handle: (received: Received) => Promise<Reply>;
  readonly limits?: Partial<ConnectionLimits>;
  readonly log?: Log;
  readonly clock?: Clock;
}

export interface CloseOptions {
  /** How long running requests may go on before they are cut off. */
  readonly graceMs: number;
  /**
   * Connections at rest are not closed at once: who keeps many of them, as a load balancer does, may be sending on one. For a moment each may bring one
   * more request, whose answer says that it is the last.
   */
  readonly isGentle?: boolean;
}

/** An address that is being listened on. */
export interface Listener {
  readonly port: number;
  /**
   * New connections get the new certificate, established ones keep theirs. Throws when certificate and key do not match, and then keeps the old ones.
   */
  updateTls(cert: string, key: string): void;
  /** The same for all TLS settings. The client authorities count for established connections, too. */
  replaceTls(tls: ListenerTls): void;
  /** Accepts no more connections, lets running requests finish, asks streams to end, and resolves when no connection is open. */
  close(options: CloseOptions): Promise<void>;
}

/** On close, connections without a request in progress are closed every so often: a client that has just connected may be about to ask. */
const IDLE_GRACE_MS = 500;

/** The answer to `OPTIONS *`, which asks for no resource but whether the server is there (RFC 9110 9.3.7). */
const PRESENT: Reply = { status: 200, headers: {}, body: NO_BODY };

/** Starts to listen. Rejects with the system's error when the address is in use, and for plain HTTP on an address that is not loopback. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  if (options.tls === undefined && !isLoopback(options.host)) {
    throw new Error(`plain HTTP is served on loopback addresses only, not on ${options.host}: give a certificate and a key, or bind to 127.0.0.1`);
  }
  const listener = new SocketListener(options);
  await listener.listen();
  return listener;
}

class SocketListener implements Listener {
  readonly #options: ListenerOptions;
  readonly #limits: ConnectionLimits;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #front: Server;
  /** undefined: plain HTTP. */
  #tls: TlsFront | undefined;
  readonly #connections: Connections;
  readonly #facts = new WeakMap<Socket, { readonly facts: () => ConnectionFacts; readonly connection: Http1Connection }>();
  readonly #openOutlets = new Set<{ shutdown(): void }>();
  readonly #sending: SendOptions;
  readonly #http1;
  readonly #acceptHttp2;
  #isClosing = false;
  #isGentle = false;
  #closed: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#log = options.log ?? silentLog;
    this.#clock = options.clock ?? systemClock;
    const isClosing = (): boolean => this.#isClosing;
    this.#sending = { log: this.#log, stallTimeoutMs: this.#limits.stallTimeoutMs, openOutlets: this.#openOutlets, isClosing };
    this.#http1 = createHttp1(this.#limits, {
      isClosing,
      onRequest: (exchange, method, target, socket) => this.#inTurn(exchange, socket, (facts) => this.#answer(exchange, method, target, facts)),
      onRefused: (exchange, status, socket) => this.#inTurn(exchange, socket, () => exchange.sendHead({ status, headers: {}, contentLength: 0, warnings: [] })),
    });
    this.#acceptHttp2 = createHttp2(this.#limits, {
      onSession: (session, socket) => {
        this.#connections.addSession(session, socket);
        if (this.#isClosing) session.close();
      },
      onRequest: (exchange, method, target, facts) => void this.#answer(exchange, method, target, facts),
    });
    this.#front = this.#createFront();
    this.#connections = new Connections(this.#front);
  }

  get port(): number {
    return (this.#front.address() as AddressInfo | null)?.port ?? 0;
  }

  listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#front.once('error', reject);
      this.#front.listen({ host, port, backlog: 1_024 }, () => {
        this.#front.off('error', reject);
        // An accept that fails (no file descriptors left, for instance) does not end the listener: later connections may work again.
        this.#front.on('error', (failure) => this.#log.error('the listener failed to accept a connection', { error: failure.message }));
        resolve();
      });
    });
  }

  updateTls(cert: string, key: string): void {
    this.replaceTls({ ...this.#encrypted().tls, cert, key });
  }

  replaceTls(tls: ListenerTls): void {
    this.#encrypted().replace(tls);
  }

  #encrypted(): TlsFront {
    if (this.#tls === undefined) throw new Error('this listener serves plain HTTP and has no certificate');
    return this.#tls;
  }

  close(options: CloseOptions): Promise<void> {
    this.#closed ??= this.#close(options);
    return this.#closed;
  }

  #createFront(): Server {
    const { tls } = this.#options;
    const { probeAfterMs: keepAliveInitialDelay } = this.#limits;
    if (tls === undefined) {
      return createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay }, (socket) => this.#onHttp1Socket(socket, () => undefined));
    }
    const front = new TlsFront(tls, this.#limits, (socket) => {
      const authorities = (): ClientAuthorities | undefined => front.authorities;
      if (socket.alpnProtocol === 'h2') this.#acceptHttp2(socket, connectionFacts(socket, authorities));
      else this.#onHttp1Socket(socket, authorities);
    });
    this.#tls = front;
    return front.server;
  }

  #onHttp1Socket(socket: Socket, authorities: () => ClientAuthorities | undefined): void {
    this.#facts.set(socket, { facts: connectionFacts(socket, authorities), connection: this.#connections.addHttp1(socket, this.#limits) });
    this.#http1.emit('connection', socket);
  }

  #inTurn(exchange: Http1Exchange, socket: Socket, answer: (facts: ConnectionFacts) => Promise<void> | void): void {
    const known = this.#facts.get(socket);
    if (known === undefined) return exchange.cut();
    known.connection.request(exchange, async () => {
      const facts = known.facts();
      await answer(facts);
      // Responses begun before the close did not send `Connection: close`: where there is time for it, the next one does.
      if ((this.#isClosing && !this.#isGentle) || facts.hasLostTrust === true) exchange.onFinish(() => socket.destroySoon());
    });
  }

  async #answer(exchange: RequestSource & ResponseWriter, method: string, target: string, facts: ConnectionFacts): Promise<void> {
    const received = new Incoming({ method, target, source: exchange, facts, clock: this.#clock });
    const batch = await startQueueOf(method).begin();
    let reply: Reply;
    try {
      reply = target === '*' && method === 'OPTIONS' ? PRESENT : compress(await this.#options.handle(received), received);
    } catch (thrown) {
      reply = errorReply(thrown, received, { log: this.#log });
    }
    batch.ended();
    return sendReply(reply, received, exchange, this.#sending);
  }

  async #close({ graceMs, isGentle = false }: CloseOptions): Promise<void> {
    this.#isClosing = true;
    this.#isGentle = isGentle;
    const closed = new Promise<void>((resolve) => this.#front.close(() => resolve()));
    for (const outlet of this.#openOutlets) outlet.shutdown();
    this.#connections.endSessions();
    if (!isGentle) this.#connections.destroyAtRest();
    const quiet = setInterval(() => this.#destroyQuiet(), Math.min(IDLE_GRACE_MS, graceMs));
    const cancelForce = afterAwake(graceMs, () => this.#connections.destroyAll());
    await closed;
    clearInterval(quiet);
    cancelForce();
    // Not before: it would cut off the answers that have been made and are still being taken.
    this.#http1.close();
  }

  #destroyQuiet(): void {
    this.#connections.destroyIdle();
    this.#tls?.destroyHandshakes();
  }
}
