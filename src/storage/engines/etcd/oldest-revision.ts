import { clearTimeout, setTimeout } from '#base';
import type { Revision } from '../../entry.ts';
import type { Cluster } from './cluster.ts';
import { CALL_MS } from './limits.ts';

/** The oldest revision that etcd keeps, which it tells only to a watch that starts before it. undefined: it keeps all, or does not answer. Throws as `Cluster.openWatch`. */
export function oldestRevision(cluster: Cluster): Promise<Revision | undefined> {
  return new Promise((resolve) => {
    const { stream } = cluster.openWatch();
    const settle = (revision: Revision | undefined): void => {
      clearTimeout(timer);
      stream.cancel();
      resolve(revision);
    };
    const timer = setTimeout(() => settle(undefined), CALL_MS).unref();
    stream.on('error', () => settle(undefined));
    stream.on('data', ({ created, compactRevision, events, canceled }) => {
      if (compactRevision > 0) settle(compactRevision);
      else if (events.length > 0 || (canceled && !created)) settle(undefined);
    });
    stream.write({ key: Buffer.of(0), end: Buffer.of(0), startRevision: 1 });
  });
}
