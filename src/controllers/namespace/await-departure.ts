import type { Client } from '#client';
import type { Remains } from './remains.ts';

/**
 * Resolves when something of what is left has gone, or when the signal aborts. Never rejects: whoever waits looks again after a while in
 * any case.
 */
export async function awaitDeparture(client: Client, namespace: string, remains: readonly Remains[], signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const one = async ({ resource, resourceVersion }: Remains): Promise<void> => {
    // Each its own: one signal for all kinds would gather the listeners of as many watches as there are kinds.
    const both = AbortSignal.any([signal, done.signal]);
    try {
      for await (const { type } of await client.metadataAt(resource).watch({ namespace, resourceVersion, signal: both })) {
        if (type === 'DELETED') return;
      }
    } catch {
      // The stream ended or was never opened.
    }
    // A watch that ends for another reason says nothing: only the time limit, or another one, may end the wait.
    if (!both.aborted) await new Promise<void>((resolve) => both.addEventListener('abort', () => resolve(), { once: true }));
  };
  await Promise.race(remains.map(one));
  done.abort();
}
