import { abortedBy } from '#base';
import type { Client } from '#client';
import type { Remains } from './remains.ts';

/**
 * Resolves when all remaining objects of one kind are deleted, or when the signal aborts: to look again for each of thousands would cost their number each
 * time. Never rejects: the caller looks again after a while in any case.
 */
export async function awaitDeparture(client: Client, namespace: string, remains: readonly Remains[], signal: AbortSignal): Promise<void> {
  const done = abortedBy(signal);
  const one = async ({ resource, resourceVersion, count }: Remains): Promise<void> => {
    // Each its own: one signal for all kinds would gather the listeners of as many watches as there are kinds.
    const own = abortedBy(done.signal).signal;
    let left = count;
    try {
      for await (const { type } of await client.metadataAt(resource).watch({ namespace, resourceVersion, signal: own })) {
        if (type === 'DELETED' && --left === 0) return;
      }
    } catch {
      // The watch ended or failed to open.
    }
    // A watch that ends for another reason says nothing: only the time limit, or another one, may end the wait.
    if (!own.aborted) await new Promise<void>((resolve) => own.addEventListener('abort', () => resolve(), { once: true }));
  };
  await Promise.race(remains.map(one));
  done.abort();
}
