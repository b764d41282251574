import type { Outlet } from '#request';

/** Writes frames to one watcher. */
export interface Pump {
  /** Returns false when the watcher is too slow; its watch is to end. */
  push(frames: readonly Uint8Array[]): boolean;
  /** Whether the queue is long: what is pushed stays in memory for a while. */
  readonly isFarBehind: boolean;
  /** Resolves when the queue is empty, or the watcher has disconnected; undefined: there is no queue. */
  drained(): Promise<void> | undefined;
}

/**
 * Writes at once while the client keeps up, and queues up to `maxBytes` while it does not. A longer queue ends the watch: its client resumes from the
 * last resourceVersion it saw, and costs no memory until then.
 */
export const pumpFrames = (out: Outlet, maxBytes: number): Pump => new FramePump(out, maxBytes);

/** Who keeps pace with many events at a time has shorter queues now and then. */
const FAR_BEHIND_BYTES = 256 * 1024;

/** A class that creates nothing before it is needed: thousands of watches are idle at a time, and most never have a queue. */
class FramePump implements Pump {
  readonly #out: Outlet;
  readonly #maxBytes: number;
  /** The queue; undefined: the client keeps up. */
  #waiting: Uint8Array[] | undefined = undefined;
  #waitingBytes = 0;
  #draining: Promise<void> | undefined = undefined;
  #isGivenUp = false;

  constructor(out: Outlet, maxBytes: number) {
    this.#out = out;
    this.#maxBytes = maxBytes;
  }

  push(frames: readonly Uint8Array[]): boolean {
    if (this.#isGivenUp) return false;
    for (const frame of frames) this.#send(frame);
    if (this.#waitingBytes <= this.#maxBytes) return true;
    this.#isGivenUp = true;
    this.#waiting = undefined;
    return false;
  }

  get isFarBehind(): boolean {
    return this.#waitingBytes >= FAR_BEHIND_BYTES;
  }

  drained(): Promise<void> | undefined {
    return this.#isGivenUp ? undefined : this.#draining;
  }

  #send(frame: Uint8Array): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(frame);
      this.#waitingBytes += frame.byteLength;
    } else if (!this.#out.write(frame)) {
      this.#waiting = [];
      this.#draining = this.#drain();
    }
  }

  /** Writes the queue frame by frame as the client accepts it: written all at once, it would no longer count against the bound. */
  async #drain(): Promise<void> {
    do await this.#out.drained();
    while (!this.#sendWaiting());
    this.#waiting = undefined;
    this.#draining = undefined;
  }

  /** Returns true when the queue is empty and the outlet accepts more. */
  #sendWaiting(): boolean {
    const waiting = this.#waiting ?? [];
    let hasRoom = true;
    let sent = 0;
    while (hasRoom && sent < waiting.length) {
      const frame = waiting[sent++]!;
      this.#waitingBytes -= frame.byteLength;
      hasRoom = this.#out.write(frame);
    }
    if (!hasRoom) this.#waiting = waiting.slice(sent);
    return hasRoom;
  }
}
