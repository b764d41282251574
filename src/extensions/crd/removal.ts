import { createResource, type Brand } from '#api';
import { list, OWN_WRITE, removeCollection, watch, type Registries, type Registry } from '#registry';
import type { Definition } from './definition.ts';
import { toStoredKind } from './to-kinds.ts';

const ALL = { namespace: '', freshness: 'latest' } as const;

/** Deletes all objects of a kind, and waits for those that something holds. Resolves when none is left, or the signal has aborted. */
export async function removeObjects(definition: Definition, registries: Registries, brand: Brand, signal: AbortSignal): Promise<void> {
  const registry = registries.of(createResource(toStoredKind(definition), brand));
  while (!signal.aborted) {
    await removeCollection(registry, ALL, {}, OWN_WRITE);
    const { items, revision } = await list(registry, { ...ALL, limit: 1 });
    if (items.length === 0) return;
    await nextRemoval(registry, revision, signal);
  }
}

/** Resolves when an object has gone since a revision, or can no longer be watched. */
async function nextRemoval(registry: Registry, since: number, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const sink = {
      events(batch: readonly { readonly type: string }[]): boolean {
        if (batch.some(({ type }) => type === 'DELETED')) resolve();
        return true;
      },
      end: () => resolve(),
    };
    signal.addEventListener('abort', () => resolve(), { once: true, signal: end.signal });
    watch(registry, { namespace: '' }, { since, bookmarks: false, endsInMs: Infinity }, sink, AbortSignal.any([signal, end.signal])).catch(reject);
  });
  end.abort();
}
