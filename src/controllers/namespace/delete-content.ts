import { failureText } from '#base';
import { isRefusal } from '#errors';
import { resourceName, type ApiResource, type Client, type Discovered } from '#client';
import { remainsOf, type Remains } from './remains.ts';
import type { Findings } from './conditions.ts';

/** Resources worked on at the same time. */
const AT_ONCE = 6;

/**
 * One round: asks for the deletion of everything in a namespace and says what is left. Pods go first and everything that guards them, network
 * policies above all, only once they are gone: nothing may run unguarded because its namespace is being deleted.
 * @spec 3.1
 */
export async function deleteContent(client: Client, namespace: string, discovered: Discovered, nowMs: () => number): Promise<Findings> {
  const failures: string[] = [];
  const remains: Remains[] = [];
  const deleteAll = async (resources: readonly ApiResource[]): Promise<void> => {
    for (let at = 0; at < resources.length; at += AT_ONCE) {
      await Promise.all(
        resources.slice(at, at + AT_ONCE).map(async (resource) => {
          try {
            const left = await deleteResource(client, namespace, resource, nowMs);
            if (left !== undefined) remains.push(left);
          } catch (cause) {
            failures.push(`${resourceName(resource)}: ${failureText(cause)}`);
          }
        }),
      );
    }
  };
  const [first, middle, last] = inOrder(discovered.resources);
  await deleteAll(first);
  await deleteAll(middle);
  const arePodsGone = !remains.some(({ resource }) => isPods(resource));
  if (arePodsGone) await deleteAll(last);
  else for (const resource of last) await note(client, namespace, resource, nowMs, remains, failures);
  return { undiscovered: discovered.failures, failures, remains };
}

const isPods = ({ group, plural }: ApiResource): boolean => group === '' && plural === 'pods';
const isGuard = ({ plural }: ApiResource): boolean => plural === 'networkpolicies';

/** Pods, everything else, and what isolates pods. */
function inOrder(resources: readonly ApiResource[]): readonly [readonly ApiResource[], readonly ApiResource[], readonly ApiResource[]] {
  const deletable = resources.filter(({ isNamespaced, verbs }) => isNamespaced && verbs.includes('delete'));
  return [deletable.filter(isPods), deletable.filter((one) => !isPods(one) && !isGuard(one)), deletable.filter(isGuard)];
}

async function deleteResource(client: Client, namespace: string, resource: ApiResource, nowMs: () => number): Promise<Remains | undefined> {
  // An empty collection is the rule: a look is cheaper than a deletion.
  const before = await listOf(client, namespace, resource);
  if (before.items.length === 0) return undefined;
  if (resource.verbs.includes('deletecollection')) await client.at(resource).deleteCollection({ namespace, propagation: 'Background' });
  else await deleteEach(client, namespace, resource, before.items);
  const { items, resourceVersion } = await listOf(client, namespace, resource);
  const left = remainsOf(resource, items, resourceVersion, nowMs());
  if (left !== undefined && left.unheld > 0 && left.unheld === left.count) {
    throw new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${resource.group}/${resource.version}, Resource=${resource.plural}`);
  }
  return left;
}

async function listOf(client: Client, namespace: string, resource: ApiResource) {
  if (!resource.verbs.includes('list')) return { items: [], resourceVersion: '' };
  try {
    return await client.metadataAt(resource).list({ namespace });
  } catch (cause) {
    // Gone since it was discovered, or not made for lists.
    if (isRefusal(cause, 'NotFound', 'MethodNotAllowed')) return { items: [], resourceVersion: '' };
    throw cause;
  }
}

async function deleteEach(client: Client, namespace: string, resource: ApiResource, items: readonly { readonly metadata: { readonly name?: string } }[]): Promise<void> {
  for (const { metadata } of items) {
    try {
      await client.at(resource).delete({ namespace, name: metadata.name ?? '' }, { propagation: 'Background' });
    } catch (cause) {
      if (!isRefusal(cause, 'NotFound')) throw cause;
    }
  }
}

/** What is not to be deleted yet counts as left. */
async function note(client: Client, namespace: string, resource: ApiResource, nowMs: () => number, remains: Remains[], failures: string[]): Promise<void> {
  try {
    const { items, resourceVersion } = await listOf(client, namespace, resource);
    const left = remainsOf(resource, items, resourceVersion, nowMs());
    if (left !== undefined) remains.push(left);
  } catch (cause) {
    failures.push(`${resourceName(resource)}: ${failureText(cause)}`);
  }
}
