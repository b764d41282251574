import type { Identified } from '#request';

/** The number of objects of a resource; undefined: unknown. */
export type CountObjects = (group: string, resource: string) => number | undefined;

/** Objects per seat of a list. */
const OBJECTS_PER_SEAT = 100;
const MAX_SEATS = 10;

/**
 * The number of seats that a request takes: one, but for lists one for every hundred objects that are read: all of them without a limit or with a
 * selector, else one page. At most ten. Where the number of objects is unknown, a list takes one seat for every hundred of its limit. A list of a
 * single name is read as a `get` would be, and takes one.
 */
export function seatsOf({ info, query }: Pick<Identified, 'info' | 'query'>, countObjects: CountObjects): number {
  if (!info.isResourceRequest || info.verb !== 'list' || info.name !== '') return 1;
  const stored = countObjects(info.group, info.resource);
  const limit = Number(query.get('limit') ?? 0);
  const hasLimit = Number.isSafeInteger(limit) && limit > 0;
  const isSelective = query.has('labelSelector') || query.has('fieldSelector');
  const looked = hasLimit && (!isSelective || stored === undefined) ? Math.min(limit, stored ?? limit) : (stored ?? 0);
  return Math.max(1, Math.min(MAX_SEATS, Math.ceil(looked / OBJECTS_PER_SEAT)));
}
