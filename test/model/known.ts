import type { History } from './history.ts';

/** Which revisions clients had been told of, and when. */
export interface Known {
  /** The highest one that was told before that moment. */
  before(moment: number): number;
  /** The lowest one of a write that began after that moment; Infinity: there is none. */
  firstAfter(moment: number): number;
}

export function knownAt({ writes, gets, lists }: History): Known {
  const told: { readonly moment: number; readonly revision: number }[] = [];
  const began: { readonly moment: number; readonly revision: number }[] = [];
  for (const { revision, start, end } of writes) {
    if (revision === undefined) continue;
    told.push({ moment: end, revision });
    began.push({ moment: start, revision });
  }
  for (const { found, end } of gets) if (found !== undefined) told.push({ moment: end, revision: found.revision });
  for (const { revision, end } of lists) told.push({ moment: end, revision });
  return {
    before: (moment) => told.reduce((highest, one) => (one.moment < moment ? Math.max(highest, one.revision) : highest), 0),
    firstAfter: (moment) => began.reduce((lowest, one) => (one.moment > moment ? Math.min(lowest, one.revision) : lowest), Infinity),
  };
}
