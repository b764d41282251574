import { MASTERS_GROUP } from '#api';
import { isLongRunning, type Identified, type Stage } from '#request';
import { tooMany } from './too-many.ts';

export interface InFlightLimits {
  /** Concurrent read-only requests. 0: unlimited. */
  readonly reading: number;
  /** Concurrent mutating requests. 0: unlimited. */
  readonly changing: number;
}

const READING: ReadonlySet<string> = new Set(['get', 'list']);

/**
 * The older limits on requests in flight, whoever sends them. Requests of `system:masters` are never rejected; long-running requests do not count.
 * `refused` is called for each rejected request.
 */
export function inFlightStage({ reading, changing }: InFlightLimits, refused: (request: Identified) => void): Stage<Identified> {
  const readers = { running: 0, limit: reading };
  const changers = { running: 0, limit: changing };
  return async (request, next) => {
    const { info, user } = request;
    if (isLongRunning(info)) return next(request);
    const kind = READING.has(info.verb) ? readers : changers;
    if (kind.limit > 0 && kind.running >= kind.limit) {
      // Beyond the limit they do not count: they would keep out others once there is room again.
      if (user.groups.includes(MASTERS_GROUP)) return next(request);
      refused(request);
      return tooMany();
    }
    kind.running++;
    try {
      return await next(request);
    } finally {
      kind.running--;
    }
  };
}
