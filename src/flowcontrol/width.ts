import type { Identified } from '#request';

/** How many objects of a resource there are; undefined: unknown. */
export type CountObjects = (group: string, resource: string) => number | undefined;

/** Objects that make one seat of a list. */
const OBJECTS_PER_SEAT = 100;
const MAX_SEATS = 10;

/**
 * How many seats a request takes. Everything takes one but lists, which take one for every hundred objects that are looked at: all of them
 * without a limit or with a selector, else as many as one page has. At most ten. Where nobody knows how many objects there are, a list
 * takes one for every hundred of its limit.
 */
export function seatsOf({ info, query }: Pick<Identified, 'info' | 'query'>, countObjects: CountObjects): number {
  if (!info.isResourceRequest || info.verb !== 'list') return 1;
  const stored = countObjects(info.group, info.resource);
  const limit = Number(query.get('limit') ?? 0);
  const hasLimit = Number.isSafeInteger(limit) && limit > 0;
  const isSelective = query.has('labelSelector') || query.has('fieldSelector');
  const looked = hasLimit && (!isSelective || stored === undefined) ? Math.min(limit, stored ?? limit) : (stored ?? 0);
  return Math.max(1, Math.min(MAX_SEATS, Math.ceil(looked / OBJECTS_PER_SEAT)));
}
