import type { ApiObject } from '#api';

/** Fields with another name in this group and in the core group, in whose form events are stored. */
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

/** Converts to the form of the core group, where the reporter is always present and the count of a series optional. */
export function toCoreEvent(object: ApiObject): ApiObject {
  const event = object as unknown as Members;
  for (const [here, there] of RENAMED) rename(event, here, there);
  event['reportingComponent'] ??= '';
  event['reportingInstance'] ??= '';
  const series = event['series'] as Members | undefined;
  if (series?.['count'] === 0) delete series['count'];
  return object;
}

/** Converts from the form of the core group. */
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
