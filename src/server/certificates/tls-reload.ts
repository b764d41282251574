import { Complaints, every, isDeepEqual, type Clock, type Log } from '#base';
import type { Listener, ListenerTls } from '#http';
import type { TlsMaterial } from './tls-options.ts';

/** How often files are read again. Reading a few short texts costs less than watching for every way in which files are replaced. */
const LOOK_MS = 10_000;

interface Parts {
  readonly listener: Pick<Listener, 'replaceTls'>;
  /** What the listener was opened with. */
  readonly tls: ListenerTls;
  readonly read: () => Promise<TlsMaterial>;
  /** Called with the settings that are used from now on. */
  readonly exchanged: (tls: ListenerTls) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Uses new certificates and keys for new connections, and new authorities for all requests, until the signal aborts. Files that cannot be read, or do not
 * match, are logged once, and the old ones stay in use: files are often replaced one after the other.
 */
export function keepTlsCurrent({ listener, tls, read, exchanged, clock, log }: Parts, signal: AbortSignal): void {
  let current: ListenerTls = tls;
  const complaints = new Complaints((why) => log.error('the new certificates cannot be used, the old ones stay', { why }));
  const look = async (): Promise<void> => {
    try {
      const next: ListenerTls = { ...current, ...(await read()) };
      if (signal.aborted) return;
      if (!isDeepEqual(next, current)) {
        listener.replaceTls(next);
        current = next;
        exchanged(next);
        log.info('certificates were exchanged: new connections use the new ones');
      }
      complaints.clear();
    } catch (cause) {
      complaints.add(cause);
    }
  };
  every(clock, LOOK_MS, look, signal);
}
