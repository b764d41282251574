import { isTurnLong, nextTurn } from '#base';
import type { ApiObject } from '#api';
import { endOf, eventsOf, isUnder, weightOf, type Change, type Engine, type KindCodec, type Revision, type Stored, type Watcher } from '#storage';
import type { Contents } from './contents.ts';
import type { Dispatch } from './dispatch.ts';
import { between, find, type Snapshot } from './snapshot.ts';

/** How many objects are looked at before it is asked whether the turn of the event loop is long: a selector may decode each of them. */
const LOOKED_AT = 32;
/** How much of the initial state is sent before waiting until the receiver has taken it. */
const STATE_ITEMS = 500;
const STATE_BYTES = 1024 * 1024;

/** What a watch of one resource is started from. */
export interface WatchSource<T extends ApiObject> {
  readonly engine: Engine;
  readonly select: KindCodec<T>['select'];
  readonly contents: Contents<T>;
  readonly dispatch: Dispatch<T>;
}

/** Sends the current objects, in pieces as the receiver takes them. The position of the watch is then the revision of that state. */
export async function sendState<T extends ApiObject>({ contents }: WatchSource<T>, watcher: Watcher<T>): Promise<void> {
  const { matches } = watcher.query;
  const { position, snapshot } = contents;
  let piece: Stored<T>[] = [];
  let bytes = 0;
  let looked = 0;
  for (const stored of itemsOf(snapshot, watcher.query.prefix)) {
    if (looked++ % LOOKED_AT === 0 && isTurnLong()) await nextTurn();
    if (watcher.ended) return;
    if (matches !== undefined && !matches(stored)) continue;
    piece.push(stored);
    bytes += weightOf(stored);
    if (piece.length < STATE_ITEMS && bytes < STATE_BYTES) continue;
    await watcher.sendState(piece);
    piece = [];
    bytes = 0;
  }
  await watcher.sendState(piece);
  watcher.position = position;
}

function* itemsOf<T extends ApiObject>(snapshot: Snapshot<T>, prefix: string): Generator<Stored<T>> {
  for (const { items } of between(snapshot, find(snapshot, prefix), find(snapshot, endOf(prefix)))) yield* items;
}

/**
 * Gives a watch every change after its position: recent ones from memory, older ones from the engine, new ones as they come. `onJoin` is called when
 * only new ones are left.
 */
export function join<T extends ApiObject>(source: WatchSource<T>, watcher: Watcher<T>, onJoin: () => void): void {
  if (watcher.ended) return;
  if (sendMissed(source, watcher)) {
    source.dispatch.add(watcher);
    onJoin();
  } else {
    catchUp(source, watcher, onJoin);
  }
}

/** Sends the changes that the watch missed, synchronously, so that no new one comes in between; false: some are no longer in memory. */
function sendMissed<T extends ApiObject>({ contents }: WatchSource<T>, watcher: Watcher<T>): boolean {
  const { deliveredUpTo } = contents;
  if (watcher.position >= deliveredUpTo) return true;
  const missed = contents.after(watcher.position);
  if (missed === undefined) return false;
  for (const change of missed) if (isUnder(change.key, watcher.query.prefix)) watcher.take(change);
  watcher.flush(deliveredUpTo);
  for (const change of missed) change.forgetEvents();
  return true;
}

/** Follows the engine with a feed of its own until the remaining changes are in memory. */
function catchUp<T extends ApiObject>(source: WatchSource<T>, watcher: Watcher<T>, onJoin: () => void): void {
  const { engine, select, dispatch } = source;
  const { prefix } = watcher.query;
  // Dropped after use, because the watch may last for long.
  let following: AbortController | undefined = new AbortController();
  const stop = (): void => {
    following?.abort(OVER);
    following = undefined;
  };
  watcher.onEnd(stop);
  const changes = (batch: readonly Change[], upTo: Revision): void => {
    if (following === undefined) return;
    for (const change of batch) if (isUnder(change.key, prefix)) watcher.take(eventsOf<T>(change, select));
    watcher.flush(upTo);
    if (watcher.ended || !sendMissed(source, watcher)) return;
    stop();
    dispatch.add(watcher);
    onJoin();
  };
  engine.follow(prefix, watcher.position, { changes, lost: (why) => watcher.lose(why) }, following.signal);
}

/** The reason of the abort: without one, an error with a stack would be created for each watch. */
const OVER = 'caught up';
