import { brandOf, DIALECTS, formatAge, type Column, type KindObject } from '#api';
import type { NodeSpec } from './node-spec.ts';
import type { NodeStatus } from './node-status.ts';

/** The parts of a node that columns show. */
export type NodeParts = KindObject<{ spec: NodeSpec; status: NodeStatus }>;

export const NODE_COLUMNS: readonly Column<NodeParts>[] = [
  { name: 'Status', type: 'string', description: 'The status of the node', cell: state },
  { name: 'Roles', type: 'string', description: 'The roles of the node', cell: ({ metadata }) => rolesOf(metadata.labels ?? {}) },
  {
    name: 'Age',
    type: 'string',
    description: 'How long ago the object was created, by the clock of the server.',
    cell: ({ metadata }, nowMs) => formatAge(metadata.creationTimestamp, nowMs),
  },
  { name: 'Version', type: 'string', description: 'The version of the agent on the node.', cell: ({ status }) => status.nodeInfo.kubeletVersion },
  { name: 'Internal-IP', type: 'string', priority: 1, description: 'Its address inside the cluster.', cell: ({ status }) => address(status, 'InternalIP') },
  { name: 'External-IP', type: 'string', priority: 1, description: 'Its address outside of the cluster.', cell: ({ status }) => address(status, 'ExternalIP') },
  { name: 'OS-Image', type: 'string', priority: 1, description: 'The operating system that it says it runs.', cell: ({ status }) => status.nodeInfo.osImage || '<unknown>' },
  { name: 'Kernel-Version', type: 'string', priority: 1, description: 'The kernel that it says it runs.', cell: ({ status }) => status.nodeInfo.kernelVersion || '<unknown>' },
  {
    name: 'Container-Runtime',
    type: 'string',
    priority: 1,
    description: 'What runs the containers on the node.',
    cell: ({ status }) => status.nodeInfo.containerRuntimeVersion || '<unknown>',
  },
];

function state({ spec, status }: NodeParts): string {
  const ready = (status.conditions ?? []).findLast(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

const DOMAINS = DIALECTS.map((dialect) => brandOf(dialect).names.domain);

function rolesOf(labels: Readonly<Record<string, string>>): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(labels)) {
    for (const domain of DOMAINS) {
      const prefix = `node-role.${domain}/`;
      if (key.startsWith(prefix) && key.length > prefix.length) roles.add(key.slice(prefix.length));
      if (key === `${domain}/role` && value !== '') roles.add(value);
    }
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

const address = ({ addresses }: NodeStatus, wanted: string): string =>
  (addresses ?? []).find(({ type }) => type === wanted)?.address ?? '<none>';
