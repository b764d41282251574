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

/** Sets the defaults of a pod spec that depend on its other fields, in pods and in templates. */
export function fillPodSpec(spec: PodSpecParts): void {
  spec.securityContext ??= {};
  fillServiceAccount(spec);
  roundUpAmounts(spec.overhead);
  if (spec.hostNetwork === true) {
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) fillHostPorts(container);
  }
}

/** `serviceAccount` is the deprecated alias of `serviceAccountName`, which wins. */
function fillServiceAccount(spec: PodSpecParts): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function fillHostPorts(container: Container): void {
  for (const port of container.ports ?? []) if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
}

/** Sets the defaults that only pods have, not templates: service links, and requests where there are only limits. */
export function fillPodOnly(spec: PodSpecParts): void {
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) fillRequests(container);
}

function fillRequests({ resources }: Container): void {
  const { limits } = resources;
  if (limits === undefined) return;
  resources.requests = Object.fromEntries([...Object.entries(limits), ...Object.entries(resources.requests ?? {})]);
}
