import type { Duplex } from 'node:stream';
import type { ReplyHeaders } from '#request';

/** Status and headers of a response, before a protocol serializes them. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** `undefined`: not known in advance, or the response has no body. */
  readonly contentLength: number | undefined;
  /** Values of `Warning` headers, one header each. */
  readonly warnings: readonly string[];
}

/** The way a response leaves. HTTP/1.1, HTTP/2 and the in-process exchange differ only here. */
export interface ResponseWriter {
  readonly isGone: boolean;
  /** Bytes accepted but not yet handed to the network. */
  readonly bufferedBytes: number;
  /** Sends a complete response. */
  sendAll(head: ResponseHead, body: Uint8Array): void;
  /** Sends a complete response without a body. */
  sendHead(head: ResponseHead): void;
  /** Begins a response whose body follows. */
  begin(head: ResponseHead): void;
  /** Sends the head now, although no byte of the body exists yet. */
  flushHead(): void;
  /** Returns false when the caller should wait for `onDrain`. */
  write(chunk: Uint8Array): boolean;
  /** The same for several chunks in one write. */
  writeAll(chunks: readonly Uint8Array[]): boolean;
  /** Calls `run` once when the buffer of a `write` that returned false has drained. */
  onDrain(run: () => void): void;
  end(): void;
  /** Calls `run` once when everything up to `end` has been handed to the network. */
  onFinish(run: () => void): void;
  /** Sends the head and hands the bare connection over; absent where requests share a connection (HTTP/2). */
  handOver?(head: ResponseHead): Duplex;
  /** Aborts the response so that the client notices that it is incomplete. */
  cut(): void;
  onGone(run: () => void): void;
}
