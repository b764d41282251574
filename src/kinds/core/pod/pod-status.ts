import { decode, t } from '#schema';

export class PodCondition extends t.message('core/v1.PodCondition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  lastProbeTime: t.time(3),
  lastTransitionTime: t.time(4),
  reason: t.string(5),
  message: t.string(6),
}) {}

/** A condition with status `True` since the given time, in stored form. */
export function conditionSince(type: string, lastTransitionTime: string): PodCondition {
  return decode(PodCondition.type, { type, status: 'True', lastTransitionTime }) as unknown as PodCondition;
}

export class PodIP extends t.message('core/v1.PodIP', { ip: t.string(1) }) {}

export class ContainerStateWaiting extends t.message('core/v1.ContainerStateWaiting', {
  reason: t.string(1),
  message: t.string(2),
}) {}

export class ContainerStateRunning extends t.message('core/v1.ContainerStateRunning', { startedAt: t.time(1) }) {}

export class ContainerStateTerminated extends t.message('core/v1.ContainerStateTerminated', {
  exitCode: t.int32(1).required(),
  signal: t.int32(2),
  reason: t.string(3),
  message: t.string(4),
  startedAt: t.time(5),
  finishedAt: t.time(6),
  containerID: t.string(7),
}) {}

export class ContainerState extends t.message('core/v1.ContainerState', {
  waiting: t.perhaps(1, ContainerStateWaiting),
  running: t.perhaps(2, ContainerStateRunning),
  terminated: t.perhaps(3, ContainerStateTerminated),
}) {}

export class ContainerStatus extends t.message('core/v1.ContainerStatus', {
  name: t.string(1).required(),
  state: t.one(2, ContainerState),
  lastState: t.one(3, ContainerState),
  ready: t.bool(4).required(),
  restartCount: t.int32(5).required(),
  image: t.string(6).required(),
  imageID: t.string(7).required(),
  containerID: t.string(8),
  started: t.maybe.bool(9),
}) {}

/** The status of a pod, as reported by its node and the scheduler. */
export class PodStatus extends t.message(
  'core/v1.PodStatus',
  {
    phase: t.string(1),
    conditions: t.many(2, PodCondition).mergeBy('type'),
    message: t.string(3),
    reason: t.string(4),
    nominatedNodeName: t.string(11),
    hostIP: t.string(5),
    podIP: t.string(6),
    podIPs: t.many(12, PodIP).mergeBy('ip'),
    startTime: t.maybe.time(7),
    initContainerStatuses: t.many(10, ContainerStatus),
    containerStatuses: t.many(8, ContainerStatus),
    qosClass: t.string(9),
    ephemeralContainerStatuses: t.many(13, ContainerStatus),
  },
  { defaults: agreeOnAddress },
) {}

interface Addresses {
  podIP?: string;
  podIPs?: { ip?: string }[] | null;
}

/** Makes `podIP` and the first of `podIPs` agree; where they differ, `podIP` wins, since older nodes report only that. */
function agreeOnAddress(status: Addresses): void {
  const first = status.podIPs?.[0];
  if (status.podIP) {
    if (first?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
  } else if (first?.ip) status.podIP = first.ip;
}
