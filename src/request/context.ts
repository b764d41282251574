import type { Duplex } from 'node:stream';
import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';

/** A request as received, whatever transport it came over: HTTP/1.1, HTTP/2 or a call in the same process. */
export interface Received {
  readonly id: string;
  readonly method: string;
  /** Percent-decoding has not happened; always begins with `/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query string as sent, also where `query` leaves a malformed pair out; empty where there was none. */
  readonly rawQuery: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Aborted when the client disconnects or the server ends the request. */
  readonly signal: AbortSignal;
  /** Whether `signal` is aborted; cheaper, because the signal is created on first use. Absent: it is not. */
  readonly isEnded?: boolean;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The same by a monotonic clock: for how long something takes. */
  readonly arrivedAtMs: number;
  /** The deadline of the answer, by the clock of `arrivedAtMs`. Absent or infinite: there is none. */
  readonly deadlineAt?: number;
  /** The client certificate, when the connection presented one that the client CA issued. */
  readonly clientCertificate?: ClientCertificate;
  /** The client certificate, when the CA of authenticating proxies issued it: the request's headers then name the user. */
  readonly proxyCertificate?: ClientCertificate;
  /** A client certificate was presented that the client CA does not vouch for, or that has expired. */
  readonly hasBadClientCertificate?: boolean;
  /** When the client certificate that was presented ends, in milliseconds since the epoch; absent: none was. */
  readonly certificateEndsAtMs?: number;
  /** Why `hasBadClientCertificate`, in the words of OpenSSL. */
  readonly certificateFault?: string;
  /** `undefined` in the same process. */
  readonly remoteAddress?: string;
  /** The value of the `Upgrade` header, as sent; only where the connection can be handed over (HTTP/1.1). */
  readonly upgrade?: string | undefined;
  /** The whole body. Rejects with `RequestEntityTooLarge` beyond `limit` bytes, with `BadRequest` when the client disconnects before its end. */
  body(limit: number): Promise<Uint8Array>;
  /** The same for a body that goes to somebody else: it holds no object of this server, and audit leaves it out. */
  bodyToHandOn(limit: number): Promise<Uint8Array>;
  /** Adds a `Warning: 299` header to the response, whatever its status. A text that was added before is not repeated. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request; a key keeps its first value. */
  annotate(key: string, value: string): void;
  /** The annotations added so far. */
  readonly annotations: ReadonlyMap<string, string>;
  /** Adds to `webhooksMs`. */
  waitedForWebhooks(ms: number): void;
  /** For how long the answer has waited for admission webhooks. */
  readonly webhooksMs: number;
}

/** The subject of a verified client certificate. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** A request whose path has been parsed. */
export interface Routed extends Received {
  readonly info: RequestInfo;
}

/** A request whose user has been authenticated. */
export interface Identified extends Routed {
  readonly user: User;
}

/** Header names in lower case; a repeated header has its values in order. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A response: with a complete body, with one produced while it is sent, or a stream that lasts as long as the client reads. */
export type Reply = BodyReply | MadeReply | StreamReply;

interface ReplyHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
}

export interface BodyReply extends ReplyHead {
  readonly body: Uint8Array | readonly Uint8Array[];
}

/** A long document that is produced while it is sent, some pieces at a time, at the pace of the client. */
export interface MadeReply extends ReplyHead {
  readonly pieces: AsyncIterable<readonly Uint8Array[]>;
}

export interface StreamReply extends ReplyHead {
  readonly stream: (out: Outlet) => Promise<void>;
  /** The client may pause for hours: what is streamed waits where it comes from. Absent: it is cut off when it takes nothing for some time. */
  readonly mayPause?: boolean;
  /** Only for requests with `upgrade`: gets the client's connection after status and headers are sent. Resolves when it is closed; never throws. */
  readonly tunnel?: (client: Duplex) => Promise<void>;
}

/**
 * The sink of a streamed response. `write` returns false when the client reads slower than the server writes; `drained` resolves when the buffer has
 * drained or the client is gone.
 */
export interface Outlet {
  /** Sends status and headers now, which else leave together with the first bytes, or at the end. */
  open(): void;
  write(chunk: Uint8Array): boolean;
  /**
   * Only for receivers in this process: takes the events of a watch as JSON values, which are shared by all watchers and must not be changed. Returns
   * false when the receiver is too slow and was dropped. With it, a watch writes no bytes.
   */
  readonly take?: (events: readonly unknown[]) => boolean;
  /** Only for connections of messages (WebSocket): each write is a message, so that every event has to be a write of its own. */
  readonly writesMessages?: true;
  drained(): Promise<void>;
  /** Aborted when the client is gone, the server shuts down, or `shutdown` is called: the writer should end the stream. */
  readonly signal: AbortSignal;
  /** Aborts `signal`, by which a stream that has reached its end stops its own parts. What was written is still delivered. */
  shutdown(): void;
}
