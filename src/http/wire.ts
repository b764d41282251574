import type { Duplex } from 'node:stream';
import type { ReplyHeaders } from '#request';

/** Status line and headers of an answer, before a protocol gives them its form. */
export interface Head {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** `undefined`: not known beforehand, or the answer has no body. */
  readonly contentLength: number | undefined;
  /** Values of `Warning` headers, one header each. */
  readonly warnings: readonly string[];
}

/** The way back to one client. The two versions of HTTP and the in-process exchange differ only here. */
export interface Wire {
  readonly isGone: boolean;
  /** Bytes accepted but not yet handed to the network. */
  readonly bufferedBytes: number;
  /** A complete answer in one go. */
  sendAll(head: Head, body: Uint8Array): void;
  /** A complete answer without body. */
  sendHead(head: Head): void;
  /** Begins an answer whose body follows. */
  begin(head: Head): void;
  /** Pushes the head out now although no body byte is there yet. */
  flushHead(): void;
  /** Returns false when the sender should wait for `onDrain`. */
  write(chunk: Uint8Array): boolean;
  /** The same for chunks that leave together. */
  writeAll(chunks: readonly Uint8Array[]): boolean;
  /** Calls `run` once when a `write` that returned false has been taken. */
  onDrain(run: () => void): void;
  end(): void;
  /** Calls `run` once when everything up to `end` has been handed to the network. */
  onFinish(run: () => void): void;
  /** Sends the head and gives the bare connection away; absent where others share the connection. */
  handOver?(head: Head): Duplex;
  /** Cuts the answer off so that the client notices. */
  cut(): void;
  onGone(run: () => void): void;
}
