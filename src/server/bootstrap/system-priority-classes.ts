import type { Catalog } from '#api';
import type { Loopback } from '../loopback.ts';
import { sendObject } from '../send-object.ts';

/** Creates the system priority classes before requests are served; none where the API group is switched off. */
export async function makeSystemPriorityClasses(loopback: Loopback, { brand, findKind }: Pick<Catalog, 'brand' | 'findKind'>): Promise<void> {
  const group = brand.group('scheduling');
  if (findKind(group, 'PriorityClass') === undefined) return;
  const apiVersion = `${group}/v1`;
  const objects = PRIORITIES.map(([name, value, description]) => ({ apiVersion, kind: 'PriorityClass', metadata: { name }, value, description }));
  const path = `/apis/${apiVersion}/priorityclasses`;
  await Promise.all(objects.map((object) => sendObject(loopback, { method: 'POST', path, object, fine: FINE })));
}

/** The two classes that pods of the system itself use. */
const PRIORITIES = [
  ['system-cluster-critical', 2_000_000_000, 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.'],
  ['system-node-critical', 2_000_001_000, 'Used for system critical pods that must not be moved from their current node.'],
] as const;

/** Created, or it exists already. */
const FINE: readonly number[] = [201, 409];
