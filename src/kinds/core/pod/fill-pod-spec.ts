import type { Container } from './container.ts';
import { roundUpAmounts, type ResourceList } from './resources.ts';

interface PodSpecParts {
  containers: Container[] | null;
  initContainers?: Container[];
  hostNetwork?: boolean;
  securityContext?: object;
  serviceAccountName?: string;
  serviceAccount?: string;
  overhead?: ResourceList;
  enableServiceLinks?: boolean;
}

/** What a pod spec gets from its other members, wherever it stands: in a pod or in a template. */
export function fillPodSpec(spec: PodSpecParts): void {
  spec.securityContext ??= {};
  fillServiceAccount(spec);
  roundUpAmounts(spec.overhead);
  if (spec.hostNetwork === true) {
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) fillHostPorts(container);
  }
}

/** Two names of one member; the newer one wins. */
function fillServiceAccount(spec: PodSpecParts): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function fillHostPorts(container: Container): void {
  for (const port of container.ports ?? []) if (!port.hostPort) port.hostPort = port.containerPort;
}

/** What only pods get, not templates: links to services, and requests where there are only limits. */
export function fillPodOnly(spec: PodSpecParts): void {
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) fillRequests(container);
}

function fillRequests({ resources }: Container): void {
  const { limits } = resources;
  if (limits === undefined) return;
  resources.requests = Object.fromEntries([...Object.entries(limits), ...Object.entries(resources.requests ?? {})]);
}
