import { when } from '#base';
import type { ApiObject } from '#api';
import type { Decide, Decision } from '#storage';

/**
 * A decider that stays with its decision about a new object as long as none is there. It is asked again where a prerequisite has changed before the commit,
 * which says nothing against the object; but whoever admitted it would charge it to its quotas once more.
 */
export function admittedOnce(decide: Decide<ApiObject>): Decide<ApiObject> {
  let made: Decision<ApiObject> | undefined;
  return (live) => {
    if (live === undefined && made !== undefined) return made;
    const decided = decide(live);
    if (live !== undefined) {
      made = undefined;
      return decided;
    }
    return when(decided, (decision) => (made = decision));
  };
}
