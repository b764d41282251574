import type { ApiObject } from '#api';

/** Members that mean the same under two names: here, and in the core group, which is how events are stored. */
const RENAMED = [
  ['reportingController', 'reportingComponent'],
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const;

type Members = Record<string, unknown>;

/** To the form of the core group, which always says who reports and need not say how long a series is. */
export function toCoreEvent(object: ApiObject): ApiObject {
  const event = object as unknown as Members;
  for (const [here, there] of RENAMED) rename(event, here, there);
  event['reportingComponent'] ??= '';
  event['reportingInstance'] ??= '';
  const series = event['series'] as Members | undefined;
  if (series?.['count'] === 0) delete series['count'];
  return object;
}

/** From the form of the core group. */
export function fromCoreEvent(object: ApiObject): ApiObject {
  const event = object as unknown as Members;
  for (const [here, there] of RENAMED) rename(event, there, here);
  for (const member of ['reportingController', 'reportingInstance']) if (event[member] === '') delete event[member];
  const series = event['series'] as Members | undefined;
  if (series !== undefined) series['count'] ??= 0;
  return object;
}

function rename(event: Members, from: string, to: string): void {
  if (!Object.hasOwn(event, from)) return;
  event[to] = event[from];
  delete event[from];
}
