import type { Outlet } from '#request';

/** Frames on their way to one watcher. */
export interface Pump {
  /** false: the watcher is too slow and has been given up. */
  push(frames: readonly Uint8Array[]): boolean;
  /** Resolves when nothing waits any more, or the watcher is gone. */
  drained(): Promise<void>;
}

/**
 * Writes at once while the receiver keeps up, and queues up to `maxBytes` while it does not.
 * A fuller queue ends the watch: its client resumes from the last version it saw, and costs no memory until then.
 */
export function pumpFrames(out: Outlet, maxBytes: number): Pump {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let draining: Promise<void> | undefined;
  let isGivenUp = false;

  /** Everything queued goes out each time the receiver has caught up. */
  async function drain(): Promise<void> {
    do {
      await out.drained();
      const batch = waiting;
      waiting = [];
      waitingBytes = 0;
      for (const frame of batch) out.write(frame);
    } while (waiting.length > 0 && !out.signal.aborted);
    draining = undefined;
  }

  function send(frame: Uint8Array): void {
    if (draining !== undefined) {
      waiting.push(frame);
      waitingBytes += frame.byteLength;
    } else if (!out.write(frame)) {
      draining = drain();
    }
  }

  return {
    push(frames) {
      if (isGivenUp) return false;
      for (const frame of frames) send(frame);
      isGivenUp = waitingBytes > maxBytes;
      if (isGivenUp) waiting = [];
      return !isGivenUp;
    },
    drained: () => (isGivenUp ? undefined : draining) ?? Promise.resolve(),
  };
}
