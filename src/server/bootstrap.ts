import type { Brand } from '#api';
import type { Loopback } from './loopback.ts';

/** Objects that exist as soon as the server answers. Made by ordinary requests; what is there already stays as it is. */
export async function makeBootstrapObjects(loopback: Loopback, brand: Brand): Promise<void> {
  const { systemNamespace, publicNamespace, leaseNamespace } = brand.names;
  const namespaces = [systemNamespace, publicNamespace, leaseNamespace, 'default'].map((name) => ({
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  }));
  const scheduling = `${brand.group('scheduling')}/v1`;
  const priorities = PRIORITIES.map(([name, value, description]) => ({
    path: `/apis/${scheduling}/priorityclasses`,
    object: { apiVersion: scheduling, kind: 'PriorityClass', metadata: { name }, value, description },
  }));
  await Promise.all([...namespaces, ...priorities].map(({ path, object }) => makeObject(loopback, path, object)));
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
