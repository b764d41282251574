import { OUTLET_HIGH_WATER_BYTES } from './response-outlet.ts';

/** A pipe from one writer to one reader in this process, which tells the writer when too much waits in it. */
export class LocalStream implements AsyncIterable<Uint8Array> {
  queuedBytes = 0;
  readonly #onLeave: () => void;
  #queue: Uint8Array[] = [];
  #isClosed = false;
  #failure: { readonly reason: unknown } | undefined;
  /** Those who wait for a chunk: more than one where somebody reads twice. */
  readonly #waiting: (() => void)[] = [];
  #drain: (() => void) | undefined;

  /** `onLeave`: called when the reader stops reading. */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  /** Returns false when the writer should wait for `onDrain`. */
  push(chunk: Uint8Array): boolean {
    this.#queue.push(chunk);
    this.queuedBytes += chunk.length;
    this.#wake();
    return this.queuedBytes < OUTLET_HIGH_WATER_BYTES;
  }

  /** Calls `run` once when nothing waits any more. */
  onDrain(run: () => void): void {
    this.#drain = run;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake();
  }

  /** Everything, in one piece. */
  async collect(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** To leave it is told at once: a generator alone would wait for the chunk that is asked for, and not notice where none was. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    const chunks = this.#chunks();
    return {
      next: () => chunks.next(),
      return: () => {
        this.close();
        this.#onLeave();
        return chunks.return(undefined);
      },
    };
  }

  async *#chunks(): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      while (this.#queue.length > 0) yield this.#take();
      if (this.#isClosed) return undefined;
      if (this.#failure !== undefined) throw this.#failure.reason;
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #take(): Uint8Array {
    const chunk = this.#queue.shift() as Uint8Array;
    this.queuedBytes -= chunk.length;
    if (this.#queue.length === 0) {
      const drain = this.#drain;
      this.#drain = undefined;
      drain?.();
    }
    return chunk;
  }
}
