import { failureText, type Log } from '#base';
import type { AuditEvent } from './event.ts';
import type { AuditObserver, Backend, Sink } from './sink.ts';

export interface BlockingOptions {
  /** Requests whose first event is lost are refused. */
  readonly isStrict: boolean;
  readonly observer: AuditObserver;
  readonly log: Log;
}

/** Requests wait until their events have arrived. */
export function createBlocking(sink: Sink, { isStrict, observer, log }: BlockingOptions): Backend {
  const running = new Set<Promise<boolean>>();
  let hasComplained = false;
  const deliver = async (event: AuditEvent): Promise<boolean> => {
    try {
      await sink.deliver([event]);
      hasComplained = false;
      return true;
    } catch (cause) {
      observer.lost(sink.name, 1);
      // Once until something arrives again: a log that fails must not fill another.
      if (!hasComplained) log.error('audit events are lost from now on', { sink: sink.name, error: failureText(cause) });
      hasComplained = true;
      return !isStrict;
    }
  };
  return {
    record(event) {
      const done = deliver(event).finally(() => running.delete(done));
      running.add(done);
      return done;
    },
    async close() {
      sink.hurry?.();
      await Promise.all(running);
      await sink.close();
    },
  };
}
