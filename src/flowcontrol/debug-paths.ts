import { plainReply, type Received, type Reply, type Routed } from '#request';
import { dumpPriorityLevels, dumpQueues, dumpRequests } from './dump.ts';
import type { FlowClasses } from './flow-classes.ts';

const PREFIX = '/debug/api_priority_and_fairness/';

/** Answers the debug endpoints of flow control; `undefined` for every other path. */
export function flowControlPaths(classes: FlowClasses): (request: Routed) => Reply | undefined {
  const pages: ReadonlyMap<string, (request: Received) => string> = new Map([
    ['dump_priority_levels', () => dumpPriorityLevels(classes)],
    ['dump_queues', () => dumpQueues(classes)],
    ['dump_requests', ({ query }: Received) => dumpRequests(classes, { withDetails: (query.get('includeRequestDetails') ?? '') !== '' })],
  ]);
  return (request) => {
    const { path } = request.info;
    if (!path.startsWith(PREFIX)) return undefined;
    const page = pages.get(path.slice(PREFIX.length));
    return page && plainReply(200, page(request));
  };
}
