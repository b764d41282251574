import { failureText } from '#base';
import { isRefusal } from '#errors';
import { resourceName, type ApiResource, type Client, type Discovered } from '#client';
import { remainsOf, type Remains } from './remains.ts';
import type { DeletionFailure, Findings } from './conditions.ts';

/** Resources processed concurrently. */
const AT_ONCE = 6;

/**
 * One round: requests the deletion of everything in a namespace and returns what remains. Pods are deleted first, and network policies only once the
 * pods are gone: no pod may run unprotected because its namespace is being deleted. Rejects when `signal` aborts: there may be too much for a server
 * that stops to wait for.
 * @spec 3.1
 */
export async function deleteContent(client: Client, namespace: string, discovered: Discovered, nowMs: () => number, signal: AbortSignal): Promise<Findings> {
  const place: Place = { client, namespace, nowMs, signal };
  const failures: DeletionFailure[] = [];
  const remains: Remains[] = [];
  // Pods that cannot be discovered may run.
  let arePodsGone = !discovered.failures.some(({ apiVersion }) => apiVersion === PODS_VERSION);
  const note = async (resource: ApiResource, find: (place: Place, resource: ApiResource) => Promise<Remains | undefined>): Promise<void> => {
    try {
      const left = await find(place, resource);
      if (left === undefined) return;
      remains.push(left);
    } catch (cause) {
      signal.throwIfAborted();
      failures.push({ resource: resourceName(resource), why: failureText(cause) });
    }
    if (isPods(resource)) arePodsGone = false;
  };
  const deleteAll = async (resources: readonly ApiResource[]): Promise<void> => {
    for (let at = 0; at < resources.length; at += AT_ONCE) {
      await Promise.all(resources.slice(at, at + AT_ONCE).map((resource) => note(resource, deleteResource)));
    }
  };
  const [first, middle, last] = inOrder(discovered.resources);
  await deleteAll(first);
  await deleteAll(middle);
  if (arePodsGone) await deleteAll(last);
  else for (const resource of last) await note(resource, whatIsLeft);
  return { undiscovered: discovered.failures, failures, remains };
}

/** The namespace that is emptied, and how. */
interface Place {
  readonly client: Client;
  readonly namespace: string;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

const PODS_VERSION = 'v1';
const isPods = ({ group, plural }: ApiResource): boolean => group === '' && plural === 'pods';
const isGuard = ({ plural }: ApiResource): boolean => plural === 'networkpolicies';

/** The resources in the order in which they are deleted: pods, everything else, and what isolates pods. */
function inOrder(resources: readonly ApiResource[]): readonly [readonly ApiResource[], readonly ApiResource[], readonly ApiResource[]] {
  const deletable = resources.filter(({ isNamespaced, verbs }) => isNamespaced && verbs.includes('delete'));
  return [deletable.filter(isPods), deletable.filter((one) => !isPods(one) && !isGuard(one)), deletable.filter(isGuard)];
}

/** Asks for the deletion of all objects of a resource; returns what is left then. */
async function deleteResource(place: Place, resource: ApiResource): Promise<Remains | undefined> {
  const { client, namespace, signal } = place;
  // Most collections are empty, and to list one is cheaper than to delete it.
  const before = await listOf(place, resource);
  if (before.items.length === 0) return undefined;
  if (resource.verbs.includes('deletecollection')) await client.at(resource).deleteCollection({ namespace, propagation: 'Background', signal });
  else await deleteEach(place, resource, before.items);
  const left = await whatIsLeft(place, resource);
  if (left !== undefined && left.unheld > 0 && left.unheld === left.count) {
    throw new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${resource.group}/${resource.version}, Resource=${resource.plural}`);
  }
  return left;
}

async function whatIsLeft(place: Place, resource: ApiResource): Promise<Remains | undefined> {
  const { items, resourceVersion } = await listOf(place, resource);
  return remainsOf(resource, items, resourceVersion, place.nowMs());
}

async function listOf({ client, namespace, signal }: Place, resource: ApiResource) {
  if (!resource.verbs.includes('list')) return { items: [], resourceVersion: '' };
  try {
    return await client.metadataAt(resource).list({ namespace, signal });
  } catch (cause) {
    // Removed since discovery, or it does not support list.
    if (isRefusal(cause, 'NotFound', 'MethodNotAllowed')) return { items: [], resourceVersion: '' };
    throw cause;
  }
}

async function deleteEach({ client, namespace, signal }: Place, resource: ApiResource, items: readonly { readonly metadata: { readonly name?: string } }[]): Promise<void> {
  for (const { metadata } of items) {
    signal.throwIfAborted();
    try {
      await client.at(resource).delete({ namespace, name: metadata.name ?? '' }, { propagation: 'Background' });
    } catch (cause) {
      if (!isRefusal(cause, 'NotFound')) throw cause;
    }
  }
}
