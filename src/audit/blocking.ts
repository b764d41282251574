import { failureText, type Log } from '#base';
import { closeSink } from './close-sink.ts';
import type { AuditEvent } from './event.ts';
import type { AuditObserver, Backend, Sink } from './sink.ts';

export interface BlockingOptions {
  /** Whether a request is rejected when its first event is lost. */
  readonly isStrict: boolean;
  readonly observer: AuditObserver;
  readonly log: Log;
}

/** Requests wait until their events are delivered. */
export function createBlocking(sink: Sink, { isStrict, observer, log }: BlockingOptions): Backend {
  const running = new Set<Promise<boolean>>();
  /** Events lost since the last delivery. */
  let lost = 0;
  let isClosing = false;
  const deliver = async (event: AuditEvent): Promise<boolean> => {
    try {
      if (isClosing) throw new Error('the server has ended');
      await sink.deliver([event]);
      if (lost > 0) log.warn('audit events arrive again', { sink: sink.name, lost });
      lost = 0;
      return true;
    } catch (cause) {
      observer.lost(sink.name, 1);
      // Logged once until a delivery succeeds again: a failing sink must not flood the log.
      if (lost === 0) log.error('audit events are lost from now on', { sink: sink.name, error: failureText(cause) });
      lost++;
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
      isClosing = true;
      sink.hurry?.();
      await Promise.all(running);
      await closeSink(sink, log);
    },
  };
}
