import { nodeOfUser } from '#api';
import { definePlugin, refuse, type AdmissionEnv, type AdmissionRequest } from '../../../plugin.ts';
import { checkNode } from './check-node.ts';
import { checkEviction, checkPod, checkPodStatus } from './check-pod.ts';
import { checkClaimStatus, checkCsiNode, checkLease, checkTokenRequest } from './check-others.ts';
import type { NodeCheck } from './node-check.ts';

/**
 * Restricts the writes of nodes to their own Node object and the pods that run on them. A node is recognized by its user name and group.
 * @spec 4.11
 */
export const nodeRestriction = definePlugin({
  name: 'NodeRestriction',
  enabled: false,
  band: 'builtin',
  after: ['ServiceAccount'],
  create: (env) => ({
    on: ['CREATE', 'UPDATE', 'DELETE'],
    // Changes nothing: what a node sends counts, before anybody changes it.
    mutate: (request) => check(request, env),
  }),
});

async function check(request: AdmissionRequest, env: AdmissionEnv): Promise<void> {
  const node = nodeOfUser(request.user);
  if (node === undefined) return;
  if (node === '') throw refuse(request, `could not determine node from user ${JSON.stringify(request.user.name)}`);
  const why = await checkOf(request)?.(request, node, env);
  if (why !== undefined) throw refuse(request, why);
}

function checkOf({ resource: { kind }, subresource }: AdmissionRequest): NodeCheck | undefined {
  const path = `${kind.group}/${kind.plural}`;
  return CHECKS[`${path}/${subresource}`] ?? CHECKS[path];
}

/** By group (in neutral form) and resource, with or without a subresource. */
const CHECKS: Readonly<Record<string, NodeCheck | undefined>> = {
  '/pods/': checkPod,
  '/pods/status': checkPodStatus,
  '/pods/eviction': checkEviction,
  '/pods': ({ subresource }) => `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
  '/nodes': checkNode,
  '/persistentvolumeclaims/status': checkClaimStatus,
  '/persistentvolumeclaims': () => 'may only update PVC status',
  '/serviceaccounts/token': checkTokenRequest,
  'coordination/leases': checkLease,
  'storage/csinodes': checkCsiNode,
};
