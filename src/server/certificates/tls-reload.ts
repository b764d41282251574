import { every, failureText, isDeepEqual, type Clock, type Log } from '#base';
import type { Listener, ListenerTls } from '#http';
import type { TlsMaterial } from './tls-options.ts';

/** How often files are looked at. Reading a few short texts costs less than following every way in which files are exchanged. */
const LOOK_MS = 10_000;

interface Parts {
  readonly listener: Pick<Listener, 'replaceTls'>;
  /** What the listener was opened with. */
  readonly tls: ListenerTls;
  readonly read: () => Promise<TlsMaterial>;
  /** Told of what is used from now on. */
  readonly exchanged: (tls: ListenerTls) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Uses new certificates, keys and authorities for new connections until the signal aborts. What cannot be read, or does not fit together,
 * is logged once, and the old ones stay: files are often exchanged one after the other.
 */
export function keepTlsCurrent({ listener, tls, read, exchanged, clock, log }: Parts, signal: AbortSignal): void {
  let current: ListenerTls = tls;
  let complaint = '';
  const look = async (): Promise<void> => {
    try {
      const next: ListenerTls = { ...current, ...(await read()) };
      if (signal.aborted || isDeepEqual(next, current)) return;
      listener.replaceTls(next);
      current = next;
      exchanged(next);
      complaint = '';
      log.info('certificates were exchanged: new connections use the new ones');
    } catch (cause) {
      const why = failureText(cause);
      if (why !== complaint) log.error('the new certificates cannot be used, the old ones stay', { why });
      complaint = why;
    }
  };
  every(clock, LOOK_MS, look, signal);
}
