import { goesOn, type Identified, type Stage } from '#request';
import { tooMany } from './too-many.ts';

export interface InFlightLimits {
  /** Requests that only read, at once. 0: any number. */
  readonly reading: number;
  /** Requests that change something, at once. 0: any number. */
  readonly changing: number;
}

const READING: ReadonlySet<string> = new Set(['get', 'list']);

/**
 * The older limits: so many requests at once, whoever asks. Administrators always get an answer; what goes on by nature does not count. `refused`
 * hears of those that are turned away.
 */
export function inFlightStage({ reading, changing }: InFlightLimits, refused: (request: Identified) => void): Stage<Identified> {
  const readers = { running: 0, limit: reading };
  const changers = { running: 0, limit: changing };
  return async (request, next) => {
    const { info, user } = request;
    if (goesOn(info)) return next(request);
    const kind = READING.has(info.verb) ? readers : changers;
    const isFull = kind.limit > 0 && kind.running >= kind.limit;
    if (isFull && !user.groups.includes('system:masters')) {
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
