import type { AuditEvent } from './event.ts';
import { lineOf, type LogFormat } from './lines.ts';
import type { Sink } from './sink.ts';

/** A destination of lines. */
export interface LineTarget {
  /** Appends text; the caller makes one call at a time. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Writes events as lines, in order of arrival. Lines that arrive during a write leave together in the next one. */
export function createLogSink(target: LineTarget, format: LogFormat): Sink {
  let next: { readonly lines: string[]; readonly written: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();

  const begin = (): { readonly lines: string[]; readonly written: Promise<void> } => {
    const lines: string[] = [];
    const write = (): Promise<void> => {
      next = undefined;
      return target.append(lines.join(''));
    };
    // The next write waits for this one, whether it succeeds or fails.
    const written = last.then(write, write);
    last = written;
    // The caller of `deliver` gets the rejection; this branch must not be reported as unhandled.
    written.catch(() => {});
    return { lines, written };
  };

  return {
    name: 'log',
    deliver(events: readonly AuditEvent[]) {
      next ??= begin();
      for (const event of events) next.lines.push(lineOf(event, format));
      return next.written;
    },
    async close() {
      await last.catch(() => {});
      await target.close();
    },
  };
}
