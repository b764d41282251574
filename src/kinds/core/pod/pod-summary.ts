import { formatDuration, type ObjectMeta } from '#api';
import type { PodSpec } from './pod-spec.ts';
import type { ContainerState, ContainerStatus, PodStatus } from './pod-status.ts';

interface PodLike {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

/** The cells of a pod's table row. */
export interface PodSummary {
  /** The status column: the phase, or the most specific reason of a container. */
  readonly state: string;
  readonly ready: number;
  readonly restarts: number;
  /** When a container last ended before its restart; undefined: never. */
  readonly lastRestartMs: number | undefined;
}

export function summarizePod(pod: PodLike): PodSummary {
  const setUp = summarizeSetUp(pod);
  const summary = setUp.isOver ? summarizeRun(pod, setUp.seen) : { ...restartsOf(setUp.seen), state: setUp.state, ready: 0 };
  const { deletionTimestamp } = pod.metadata;
  if (!deletionTimestamp) return summary;
  return { ...summary, state: pod.status.reason === 'NodeLost' ? 'Unknown' : 'Terminating' };
}

/** Formats `2`, or `2 (5m ago)`; the time is shown whenever a container has ended, even with a count of 0. */
export function formatRestarts({ restarts, lastRestartMs }: PodSummary, nowMs: number): string {
  return lastRestartMs === undefined ? String(restarts) : `${restarts} (${formatDuration(nowMs - lastRestartMs)} ago)`;
}

interface SetUp {
  readonly isOver: boolean;
  readonly state: string;
  /** The init containers up to the first that has not succeeded. */
  readonly seen: readonly ContainerStatus[];
}

/** The state of the init containers, which run in order: the first that has not succeeded determines it. */
function summarizeSetUp({ spec, status }: PodLike): SetUp {
  const containers = status.initContainerStatuses ?? [];
  const at = containers.findIndex(({ state }) => state.terminated?.exitCode !== 0);
  const waitingFor = containers[at];
  if (waitingFor === undefined) return { isOver: true, state: '', seen: containers };
  return { isOver: false, state: `Init:${setUpState(waitingFor.state, at, spec)}`, seen: containers.slice(0, at + 1) };
}

function setUpState({ terminated, waiting }: ContainerState, at: number, spec: PodSpec): string {
  if (terminated) return terminated.reason || endOf(terminated);
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return waiting.reason;
  return `${at}/${(spec.initContainers ?? []).length}`;
}

const endOf = ({ signal, exitCode }: { readonly signal?: number; readonly exitCode: number }): string =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;

/**
 * The state of the regular containers: the first with a reason determines it. Restarts of init containers do not count, but the last end may be
 * theirs.
 */
function summarizeRun({ status }: PodLike, before: readonly ContainerStatus[]): PodSummary {
  const containers = status.containerStatuses ?? [];
  const running = containers.filter((one) => one.ready && speaksOf(one.state) === undefined && one.state.running);
  const said = containers.map(({ state }) => speaksOf(state)).find((text) => text !== undefined);
  let state = said ?? (status.reason || (status.phase ?? ''));
  if (state === 'Completed' && running.length > 0) state = isReady(status) ? 'Running' : 'NotReady';
  return { ...restartsOf(containers), lastRestartMs: restartsOf([...before, ...containers]).lastRestartMs, state, ready: running.length };
}

function speaksOf({ waiting, terminated }: ContainerState): string | undefined {
  if (waiting?.reason) return waiting.reason;
  return terminated ? terminated.reason || endOf(terminated) : undefined;
}

const isReady = ({ conditions }: PodStatus): boolean => (conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');

function restartsOf(containers: readonly ContainerStatus[]): Pick<PodSummary, 'restarts' | 'lastRestartMs'> {
  const ends = containers.map(({ lastState }) => Date.parse(lastState.terminated?.finishedAt ?? '')).filter((ms) => !Number.isNaN(ms));
  return {
    restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
    lastRestartMs: ends.length === 0 ? undefined : Math.max(...ends),
  };
}
