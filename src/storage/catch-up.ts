import type { ApiObject } from '#api';
import { when } from '#base';
import type { Change, Engine } from './engine.ts';
import type { Revision } from './entry.ts';
import { eventsOfEach } from './events.ts';
import type { KindCodec } from './stored.ts';
import type { Watcher } from './watcher.ts';

/** Where a watch reads what it missed. */
export interface CatchUpSource<T extends ApiObject> {
  readonly engine: Engine;
  readonly select: KindCodec<T>['select'];
}

/**
 * Follows the engine with a feed of the watch's own until the watch `isNear`, or its receiver must be waited for. Then calls `goOn`, as soon as the receiver
 * has room or the watch has ended.
 */
export function catchUp<T extends ApiObject>({ engine, select }: CatchUpSource<T>, watcher: Watcher<T>, isNear: () => boolean, goOn: () => void): void {
  const following = new AbortController();
  const stop = (): void => following.abort(OVER);
  const forget = watcher.onEnd(stop);
  const changes = (batch: readonly Change[], upTo: Revision): void => {
    const isAll = watcher.sendMissed(eventsOfEach(batch, select), upTo);
    const taken = watcher.drained();
    if (isAll && taken === undefined && !isNear()) return;
    forget();
    stop();
    void when(taken, goOn);
  };
  engine.follow(watcher.query.prefix, watcher.position, { changes, lost: (why) => watcher.lose(why) }, following.signal);
}

/** The reason of the abort: without one, an error with a stack would be created for each watch. */
const OVER = 'caught up';
