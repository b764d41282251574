import { checkPortName, checkPortNumber, report } from '#api';
import type { FieldErrors } from '#errors';
import type { ContainerPort } from './container-port.ts';
import type { Container } from './container.ts';
import { requireOneOf } from '../../value-checks.ts';

export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;

export function validatePorts(ports: readonly ContainerPort[], at: FieldErrors): void {
  const names = new Set<string>();
  for (const [position, port] of ports.entries()) {
    const here = at.index(position);
    if (port.name && report(here.child('name'), port.name, checkPortName(port.name))) {
      if (names.has(port.name)) here.child('name').duplicate(port.name);
      names.add(port.name);
    }
    if (port.containerPort === 0) here.child('containerPort').required();
    else report(here.child('containerPort'), port.containerPort, checkPortNumber(port.containerPort));
    if (port.hostPort) report(here.child('hostPort'), port.hostPort, checkPortNumber(port.hostPort));
    requireOneOf(port.protocol, here.child('protocol'), PROTOCOLS);
  }
}

/** Checks that no host port is used twice, since the containers run at the same time on one node. */
export function validateHostPorts(containers: readonly Container[], at: FieldErrors): void {
  const taken = new Set<string>();
  for (const [position, container] of containers.entries()) {
    for (const [portPosition, port] of (container.ports ?? []).entries()) {
      if (!port.hostPort) continue;
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(key)) at.index(position).child('ports').index(portPosition).child('hostPort').duplicate(key);
      taken.add(key);
    }
  }
}

/** With the host network a container port is a port of the node: a `hostPort` must equal it. */
export function validateHostNetworkPorts(containers: readonly Container[], at: FieldErrors): void {
  for (const [position, container] of containers.entries()) {
    for (const [portPosition, port] of (container.ports ?? []).entries()) {
      if ((port.hostPort ?? 0) === port.containerPort) continue;
      const here = at.index(position).child('ports').index(portPosition).child('containerPort');
      here.invalid(port.containerPort, 'must match `hostPort` when `hostNetwork` is true');
    }
  }
}
