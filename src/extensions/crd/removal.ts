import { createResource, type Brand } from '#api';
import { abortedBy } from '#base';
import { list, OWN_WRITE, removeCollection, watch, type Registries, type Registry } from '#registry';
import type { Definition } from './definition.ts';
import { toStoredKind } from './to-kinds.ts';

const ALL = { namespace: '', freshness: 'latest' } as const;

/** Deletes all objects of a kind, and waits for those with finalizers. Resolves when none is left, or the signal has aborted. */
export async function removeObjects(definition: Definition, registries: Registries, brand: Brand, signal: AbortSignal): Promise<void> {
  const registry = registries.of(createResource(toStoredKind(definition), brand));
  while (!signal.aborted) {
    await removeCollection(registry, ALL, {}, OWN_WRITE);
    const { items, revision } = await list(registry, { ...ALL, limit: 1 });
    if (items.length === 0 || signal.aborted) return;
    await nextRemoval(registry, revision, signal);
  }
}

/** Resolves when an object was deleted after a revision, or can no longer be watched. */
async function nextRemoval(registry: Registry, since: number, signal: AbortSignal): Promise<void> {
  const end = abortedBy(signal);
  try {
    await new Promise<void>((resolve, reject) => {
      const sink = {
        events(batch: readonly { readonly type: string }[]): boolean {
          if (batch.some(({ type }) => type === 'DELETED')) resolve();
          return true;
        },
        end: () => resolve(),
      };
      end.signal.addEventListener('abort', () => resolve(), { once: true });
      watch(registry, { namespace: '' }, { since, bookmarks: false, endsInMs: Infinity }, sink, end.signal).catch(reject);
    });
  } finally {
    end.abort();
  }
}
