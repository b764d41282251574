import type { FlowClasses } from './flow-classes.ts';

type Row = readonly (string | number | boolean)[];

const PRIORITY_LEVELS = ['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'];
const QUEUES = [
  'PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR', 'InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum',
];
const REQUESTS = [
  'PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime', 'InitialSeats', 'FinalSeats', 'AdditionalLatency',
];
const DETAILS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];
const NONE = '<none>';

/** All priority levels and their state. A queue is active while requests wait in it, as in kube-apiserver. */
export const dumpPriorityLevels = (classes: FlowClasses): string =>
  table(
    PRIORITY_LEVELS,
    classes.levels.map((level) => {
      const { name, config, isEmpty, isQuiescing, waiting, running } = level;
      if (config.isExempt) return [name, NONE, NONE, NONE, NONE, NONE];
      const active = [...level.queues].filter((queue) => queue.waiting.length > 0).length;
      return [name, active, isEmpty, isQuiescing, waiting, running];
    }),
  );

/** The queues in use, one line each, and one for each level that is exempt. A level that rejects requests has no queues, and no line. */
export const dumpQueues = (classes: FlowClasses): string =>
  table(
    QUEUES,
    classes.levels.flatMap((level): readonly Row[] => {
      if (level.config.isExempt) return [[level.name, ...QUEUES.slice(1).map(() => NONE)]];
      return [...level.queues]
        .sort((a, b) => a.index - b.index)
        .map(({ index, waiting, running, seatsInUse, dueAt, waitingSeats }) => {
          return [level.name, index, waiting.length, running, seatsInUse, dueAt.toFixed(8), waitingSeats, waitingSeats, (waitingSeats / 1000).toFixed(8)];
        });
    }),
  );

/** The queued requests; `withDetails`: with their user and request attributes. */
export const dumpRequests = (classes: FlowClasses, { withDetails }: { readonly withDetails: boolean }): string =>
  table(
    withDetails ? [...REQUESTS, ...DETAILS] : REQUESTS,
    classes.levels.flatMap((level) =>
      [...level.queues].flatMap(({ index, waiting }) =>
        waiting.map(({ schemaName, distinguisher, arrivedAtMs, seats, details }, at): Row => {
          const { userName, verb, path, namespace, name, version, resource, subresource } = details;
          const more = withDetails ? [userName, verb, path, namespace, name, version, resource, subresource] : [];
          return [level.name, schemaName, index, at, distinguisher, new Date(arrivedAtMs).toISOString(), seats, 0, '0s', ...more];
        }),
      ),
    ),
  );

const MIN_CELL = 8;

/** Aligned cells, each followed by a comma. Clients choose some names: a cell must not contain a separator. */
function table(columns: readonly string[], rows: readonly Row[]): string {
  const lines = [columns, ...rows.map((row) => row.map((cell) => String(cell).replaceAll(/[\p{Cc},]/gu, '?')))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) => `${line.map((cell, at) => (at === columns.length - 1 ? cell : `${cell},`.padEnd(Math.max(MIN_CELL, (widths[at] ?? 0) + 2)))).join('')}\n`)
    .join('');
}
