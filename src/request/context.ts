import type { Duplex } from 'node:stream';
import type { RequestInfo } from './request-info.ts';
import type { User } from './user.ts';

/** A request as it came in, whatever carried it: HTTP/1.1, HTTP/2 or a call in the same process. */
export interface Received {
  readonly id: string;
  readonly method: string;
  /** Percent-decoding has not happened; always begins with `/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** What stood behind the question mark, also where `query` leaves a part of it out; empty where there was none. */
  readonly rawQuery: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Aborted when the client goes away or the server ends the request. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When the answer has to be there, in milliseconds since the epoch. Absent or infinite: it may take as long as it does. */
  readonly deadlineAt?: number;
  /** The verified client certificate, when the connection presented one that the client CA vouches for. */
  readonly clientCertificate?: ClientCertificate;
  /** The verified client certificate, when the authority of proxies vouches for it: its headers say who asks. */
  readonly proxyCertificate?: ClientCertificate;
  /** A client certificate was presented, and the client CA does not vouch for it. */
  readonly hasBadClientCertificate?: boolean;
  /** `undefined` in the same process. */
  readonly remoteAddress?: string;
  /** The protocol the client wants to go on with, as it wrote it; only where the connection can be handed over (HTTP/1.1). */
  readonly upgrade?: string | undefined;
  /** The whole body. Throws `RequestEntityTooLarge` beyond `limit` bytes, `BadRequest` when it breaks off. */
  body(limit: number): Promise<Uint8Array>;
  /** Adds a `Warning: 299` header to the answer, whatever the answer is. The same text is sent once. */
  warn(text: string): void;
  /** Adds an annotation to the audit event of the request; the first value of a key stays. */
  annotate(key: string, value: string): void;
  /** What was annotated so far. */
  readonly annotations: ReadonlyMap<string, string>;
}

/** Who a verified certificate names. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** After the path was understood. */
export interface Routed extends Received {
  readonly info: RequestInfo;
}

/** After the caller is known. */
export interface Identified extends Routed {
  readonly user: User;
}

/** Header names in lower case. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** An answer: with a body that is there, one that is made while it is sent, or one that goes on for as long as somebody reads. */
export type Reply = BodyReply | MadeReply | StreamReply;

interface ReplyHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
}

export interface BodyReply extends ReplyHead {
  readonly body: Uint8Array | readonly Uint8Array[];
}

/** A long document that is made while it is sent, some pieces at a time, as fast as the receiver takes them. */
export interface MadeReply extends ReplyHead {
  readonly pieces: AsyncIterable<readonly Uint8Array[]>;
}

export interface StreamReply extends ReplyHead {
  readonly stream: (out: Outlet) => Promise<void>;
  /** For requests with `upgrade` alone: gets the client's connection instead, after status and headers. Resolves when it is closed; never throws. */
  readonly tunnel?: (client: Duplex) => Promise<void>;
}

/** Where a stream is written. `write` returns false when the receiver is slower than the sender; `drained` resolves when it has caught up or is gone. */
export interface Outlet {
  write(chunk: Uint8Array): boolean;
  /**
   * Of receivers in this process: takes the events of a watch as JSON values, which are shared with everybody and never changed. Returns false
   * when the receiver is too slow and was given up. A watch then writes nothing.
   */
  readonly take?: (events: readonly unknown[]) => boolean;
  /** Of connections that carry messages: makes one of a frame. Every event is then one, and is written alone. */
  readonly messageOf?: (frame: Uint8Array) => Uint8Array;
  drained(): Promise<void>;
  /** Aborted when the receiver is gone, the server shuts down, or by `shutdown`: end the stream. */
  readonly signal: AbortSignal;
  /** Aborts `signal`: a stream that has come to its end tells its own parts so. What was written is still delivered. */
  shutdown(): void;
}
