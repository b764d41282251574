import type { Outlet, Reply, ReplyHeaders } from '#request';

/** Where frames go. Everything here is synchronous: it is called from the turn in which an event is handed out. */
export interface FrameSink {
  /**
   * Queues one frame; frames of one turn leave in one write. Returns false when the stream has ended, also when this very frame made the
   * queue too long.
   */
  write(frame: Uint8Array): boolean;
  /** Ends the stream after the frames written so far. */
  end(): void;
  readonly isOpen: boolean;
  /** The receiver is behind: a good moment to leave out what can be left out (bookmarks). */
  readonly isBehind: boolean;
}

export interface FramesReplyOptions {
  readonly headers: ReplyHeaders;
  /** Frames waiting for a slow reader. Beyond this the stream ends and the reader starts again from its last version. Default 1 MiB. */
  readonly maxQueuedBytes?: number;
  /** Called once when the head has been sent. The returned function is called once, at the end, whatever ended the stream. */
  start(sink: FrameSink): (() => void) | Promise<() => void>;
}

const DEFAULT_MAX_QUEUED_BYTES = 1_048_576;

/**
 * A 200 whose body is frames, for as long as someone reads and the server runs.
 * @spec 4.5
 */
export function framesReply({ headers, maxQueuedBytes = DEFAULT_MAX_QUEUED_BYTES, start }: FramesReplyOptions): Reply {
  return {
    status: 200,
    headers,
    async stream(out) {
      const queue = new FrameQueue(out, maxQueuedBytes);
      let stop: (() => void) | undefined;
      try {
        stop = await start(queue);
        await queue.ended;
      } finally {
        queue.end();
        stop?.();
      }
    },
  };
}

class FrameQueue implements FrameSink {
  readonly ended: Promise<void>;
  readonly #out: Outlet;
  readonly #maxQueuedBytes: number;
  readonly #onAbort = (): void => this.end();
  #resolveEnded!: () => void;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #isBehind = false;
  #isOpen = true;

  constructor(out: Outlet, maxQueuedBytes: number) {
    this.#out = out;
    this.#maxQueuedBytes = maxQueuedBytes;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    if (out.signal.aborted) this.end();
    else out.signal.addEventListener('abort', this.#onAbort);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  write(frame: Uint8Array): boolean {
    if (!this.#isOpen) return false;
    if (!this.#isBehind) {
      if (!this.#out.write(frame)) this.#waitForReader();
      return true;
    }
    this.#queue.push(frame);
    this.#queuedBytes += frame.length;
    if (this.#queuedBytes <= this.#maxQueuedBytes) return true;
    // Frames not handed over yet are dropped in one piece, so what the reader gets is a gapless beginning.
    this.#queue = [];
    this.end();
    return false;
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#out.signal.removeEventListener('abort', this.#onAbort);
    for (const frame of this.#queue) this.#out.write(frame);
    this.#queue = [];
    this.#resolveEnded();
  }

  #waitForReader(): void {
    this.#isBehind = true;
    void this.#out.drained().then(() => this.#catchUp());
  }

  #catchUp(): void {
    this.#isBehind = false;
    let at = 0;
    while (at < this.#queue.length && !this.#isBehind) {
      const frame = this.#queue[at++] as Uint8Array;
      this.#queuedBytes -= frame.length;
      if (!this.#out.write(frame)) this.#waitForReader();
    }
    this.#queue = this.#queue.slice(at);
  }
}
