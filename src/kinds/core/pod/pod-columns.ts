import type { ApiObject, Column, ObjectMeta } from '#api';
import { firstBy } from '#base';
import type { PodSpec } from './pod-spec.ts';
import type { PodStatus } from './pod-status.ts';
import { formatRestarts, summarizePod } from './pod-summary.ts';

type PodLike = ApiObject & { metadata: ObjectMeta; spec: PodSpec; status: PodStatus };

const NONE = '<none>';

/** @spec 2.5 */
export const POD_COLUMNS: readonly Column<PodLike>[] = [
  {
    name: 'Ready',
    type: 'string',
    description: 'Containers that are ready, of all containers of the pod.',
    cell: (pod) => `${summarizePod(pod).ready}/${(pod.spec.containers ?? []).length}`,
  },
  {
    name: 'Status',
    type: 'string',
    description: 'What goes on in the pod: its phase, or why a container does not run.',
    cell: (pod) => summarizePod(pod).state,
  },
  {
    name: 'Restarts',
    type: 'string',
    description: 'How often containers were started again, and when one last ended.',
    cell: (pod, nowMs) => formatRestarts(summarizePod(pod), nowMs),
  },
  {
    name: 'IP',
    type: 'string',
    priority: 1,
    description: 'The address of the pod, once it has one on its node.',
    cell: ({ status }) => status.podIPs?.[0]?.ip || status.podIP || NONE,
  },
  {
    name: 'Node',
    type: 'string',
    priority: 1,
    description: 'The node that the pod was assigned to.',
    cell: ({ spec }) => spec.nodeName || NONE,
  },
  {
    name: 'Nominated Node',
    type: 'string',
    priority: 1,
    description: 'The node where the scheduler makes room for the pod.',
    cell: ({ status }) => status.nominatedNodeName || NONE,
  },
  {
    name: 'Readiness Gates',
    type: 'string',
    priority: 1,
    description: 'Further conditions for readiness that hold, of those the pod has.',
    cell: gates,
  },
];

/** Reason and message of the condition in the table rows of finished pods. */
export function endOf({ phase }: PodStatus): { readonly reason: string; readonly message: string } | undefined {
  if (phase === 'Succeeded') return { reason: phase, message: 'The pod has completed successfully.' };
  return phase === 'Failed' ? { reason: phase, message: 'The pod failed.' } : undefined;
}

function gates({ spec, status }: PodLike): string {
  const wanted = spec.readinessGates ?? [];
  if (wanted.length === 0) return NONE;
  const said = firstBy(status.conditions ?? [], ({ type }) => type);
  return `${wanted.filter(({ conditionType }) => said.get(conditionType)?.status === 'True').length}/${wanted.length}`;
}
