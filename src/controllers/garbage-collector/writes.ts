import { isRefusal, type Client } from '#client';
import type { ApiObject } from '#api';
import type { Place } from './graph.ts';

type Owner = NonNullable<ApiObject['metadata']['ownerReferences']>[number];

/** Changes the owner references of one object if it still has this uid. An object that is gone is fine; a conflict is retried. */
export async function changeOwners(client: Client, place: Place, uid: string, change: (owners: readonly Owner[]) => readonly Owner[]): Promise<void> {
  await changeMetadata(client, place, uid, ({ ownerReferences }) => {
    const owners = ownerReferences ?? [];
    const next = change(owners);
    const isSame = next.length === owners.length && next.every((one, at) => one === owners[at]);
    return isSame ? undefined : { ownerReferences: next.length === 0 ? null : next };
  });
}

/** Removes a finalizer from one object if it still has this uid. An object that is gone is fine; a conflict is retried. */
export async function removeFinalizer(client: Client, place: Place, uid: string, finalizer: string): Promise<void> {
  await changeMetadata(client, place, uid, ({ finalizers }) => {
    if (!(finalizers ?? []).includes(finalizer)) return undefined;
    const next = (finalizers ?? []).filter((one) => one !== finalizer);
    return { finalizers: next.length === 0 ? null : next };
  });
}

const TRIES = 5;

async function changeMetadata(client: Client, { resource, namespace, name }: Place, uid: string, change: (metadata: ApiObject['metadata']) => object | undefined): Promise<void> {
  const objects = client.metadataAt(resource);
  for (let tries = 1; ; tries++) {
    const live = await objects.find({ namespace, name });
    if (live === undefined || live.metadata.uid !== uid) return;
    const metadata = change(live.metadata);
    if (metadata === undefined) return;
    const { resourceVersion } = live.metadata;
    try {
      // With uid and resourceVersion: a merge patch of another or a newer object is rejected.
      await objects.patch({ namespace, name }, 'merge', { metadata: { uid, resourceVersion, ...metadata } });
      return;
    } catch (cause) {
      if (isRefusal(cause, 'NotFound')) return;
      if (!isRefusal(cause, 'Conflict') || tries >= TRIES) throw cause;
    }
  }
}
