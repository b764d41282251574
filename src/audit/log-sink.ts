import type { AuditEvent } from './event.ts';
import { lineOf, type LogFormat } from './lines.ts';
import type { Sink } from './sink.ts';

/** What lines are written to. */
export interface LineTarget {
  /** One call at a time. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Writes events as lines, in the order in which they came. Lines that come while a write is under way leave together in the next one. */
export function createLogSink(target: LineTarget, format: LogFormat): Sink {
  let next: { readonly lines: string[]; readonly written: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();

  const begin = (): { readonly lines: string[]; readonly written: Promise<void> } => {
    const lines: string[] = [];
    const write = (): Promise<void> => {
      next = undefined;
      return target.append(lines.join(''));
    };
    // The next write waits for this one, however it ends.
    const written = last.then(write, write);
    last = written;
    // Whoever delivered hears of a failure; nobody else has to.
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
