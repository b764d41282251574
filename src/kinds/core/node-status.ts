import { cloneJson } from '#base';
import { quantityScalar, t } from '#schema';
import { NodeConfigSource } from './node-spec.ts';
import { roundUpAmounts } from './pod/resources.ts';

class NodeCondition extends t.message('core/v1.NodeCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastHeartbeatTime: t.time(3),
  lastTransitionTime: t.time(4),
  reason: t.string(5),
  message: t.string(6),
}) {}

export class NodeAddress extends t.message('core/v1.NodeAddress', {
  type: t.string(1).required(),
  address: t.string(2).required(),
}) {}

class DaemonEndpoint extends t.message('core/v1.DaemonEndpoint', { Port: t.int32(1).required() }) {}

class NodeDaemonEndpoints extends t.message('core/v1.NodeDaemonEndpoints', { kubeletEndpoint: t.one(1, DaemonEndpoint) }) {}

class NodeSystemInfo extends t.message('core/v1.NodeSystemInfo', {
  machineID: t.string(1).required(),
  systemUUID: t.string(2).required(),
  bootID: t.string(3).required(),
  kernelVersion: t.string(4).required(),
  osImage: t.string(5).required(),
  containerRuntimeVersion: t.string(6).required(),
  kubeletVersion: t.string(7).required(),
  kubeProxyVersion: t.string(8).required(),
  operatingSystem: t.string(9).required(),
  architecture: t.string(10).required(),
}) {}

class ContainerImage extends t.message('core/v1.ContainerImage', {
  names: t.strings(1).always(),
  sizeBytes: t.int64(2),
}) {}

class AttachedVolume extends t.message('core/v1.AttachedVolume', {
  name: t.string(1).required(),
  devicePath: t.string(2).required(),
}) {}

export class NodeConfigStatus extends t.message('core/v1.NodeConfigStatus', {
  assigned: t.perhaps(1, NodeConfigSource),
  active: t.perhaps(2, NodeConfigSource),
  lastKnownGood: t.perhaps(3, NodeConfigSource),
  error: t.string(4),
}) {}

interface Amounts {
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
}

/** Defaults `allocatable` to `capacity`, and rounds the amounts. */
function fillAmounts(status: Amounts): void {
  if (status.capacity !== undefined) status.allocatable ??= cloneJson(status.capacity);
  roundUpAmounts(status.capacity);
  roundUpAmounts(status.allocatable);
}

export class NodeStatus extends t.message(
  'core/v1.NodeStatus',
  {
    capacity: t.map(1, quantityScalar),
    allocatable: t.map(2, quantityScalar),
    phase: t.string(3),
    conditions: t.many(4, NodeCondition).mergeBy('type'),
    addresses: t.many(5, NodeAddress).mergeBy('type'),
    daemonEndpoints: t.one(6, NodeDaemonEndpoints),
    nodeInfo: t.one(7, NodeSystemInfo),
    images: t.many(8, ContainerImage),
    volumesInUse: t.strings(9),
    volumesAttached: t.many(10, AttachedVolume),
    config: t.perhaps(11, NodeConfigStatus),
  },
  { defaults: fillAmounts },
) {}
