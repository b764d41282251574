import type { Brand, Catalog } from '#api';
import type { Loopback } from '../loopback.ts';

/** The namespaces that exist as soon as the server answers. Made by ordinary requests; what is there already stays as it is. */
export async function makeSystemNamespaces(loopback: Loopback, { names }: Brand): Promise<void> {
  const objects = [names.systemNamespace, names.publicNamespace, names.leaseNamespace, 'default'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  await Promise.all(objects.map((object) => makeObject(loopback, '/api/v1/namespaces', object)));
}

/** The priority classes that exist as soon as the server answers; none where they are switched off. */
export async function makeSystemPriorityClasses(loopback: Loopback, { brand, findKind }: Pick<Catalog, 'brand' | 'findKind'>): Promise<void> {
  const group = brand.group('scheduling');
  if (findKind(group, 'PriorityClass') === undefined) return;
  const apiVersion = `${group}/v1`;
  const objects = PRIORITIES.map(([name, value, description]) => ({ apiVersion, kind: 'PriorityClass', metadata: { name }, value, description }));
  await Promise.all(objects.map((object) => makeObject(loopback, `/apis/${apiVersion}/priorityclasses`, object)));
}

/** The two classes that pods of the system itself use. */
const PRIORITIES = [
  ['system-cluster-critical', 2_000_000_000, 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.'],
  ['system-node-critical', 2_000_001_000, 'Used for system critical pods that must not be moved from their current node.'],
] as const;

async function makeObject(loopback: Loopback, path: string, object: object): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const answer = await loopback({ method: 'POST', path, headers, body: JSON.stringify(object) });
  if (answer.status !== 201 && answer.status !== 409) {
    const text = 'body' in answer ? new TextDecoder().decode(answer.body) : '';
    throw new Error(`cannot make ${JSON.stringify(object)}: ${answer.status} ${text}`);
  }
}
