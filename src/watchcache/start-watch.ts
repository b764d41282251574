import { isTurnLong, nextTurn, when } from '#base';
import type { ApiObject } from '#api';
import { catchUp, endOf, followerFailure, weightOf, type CatchUpSource, type Stored, type Watcher } from '#storage';
import type { Contents } from './contents.ts';
import type { Dispatch } from './dispatch.ts';
import { between, find, type Snapshot } from './snapshot.ts';

/** How many objects are looked at before it is asked whether the turn of the event loop is long: a selector may decode each of them. */
const LOOKED_AT = 32;
/** How much of the initial state is sent before waiting until the receiver has taken it. */
const STATE_ITEMS = 500;
const STATE_BYTES = 1024 * 1024;

/** What a watch of one resource is started from. */
export interface WatchSource<T extends ApiObject> extends CatchUpSource<T> {
  readonly contents: Contents<T>;
  readonly dispatch: Dispatch<T>;
}

/** Sends the current objects, in pieces as the receiver takes them. The position of the watch is then the revision of that state. */
export async function sendState<T extends ApiObject>({ contents }: WatchSource<T>, watcher: Watcher<T>): Promise<void> {
  const { matches } = watcher.query;
  const { position, snapshot } = contents;
  watcher.begin();
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
  watcher.reach(position);
}

function* itemsOf<T extends ApiObject>(snapshot: Snapshot<T>, prefix: string): Generator<Stored<T>> {
  for (const { items } of between(snapshot, find(snapshot, prefix), find(snapshot, endOf(prefix)))) yield* items;
}

/**
 * Gives a watch every change after its position: recent ones from memory, older ones from the engine, new ones as they come. What it missed is sent in
 * pieces, as the receiver takes them. `onJoin` is called when only new ones are left.
 */
export function join<T extends ApiObject>(source: WatchSource<T>, watcher: Watcher<T>, onJoin: () => void): void {
  if (watcher.ended) return;
  const { contents } = source;
  const missed = contents.after(watcher.position);
  const again = (): void => joinAgain(source, watcher, onJoin);
  if (missed === undefined) return catchUp(source, watcher, () => contents.after(watcher.position) !== undefined, again);
  const isAll = watcher.sendMissed(missed, contents.deliveredUpTo);
  for (const change of missed) change.forgetEvents();
  if (isAll) {
    // In the same turn: no new change may come in between.
    source.dispatch.add(watcher);
    onJoin();
  } else void when(watcher.drained(), again);
}

/** Nobody waits for this any more: what cannot be read ends the watch here, which would otherwise stay open and be told nothing. */
function joinAgain<T extends ApiObject>(source: WatchSource<T>, watcher: Watcher<T>, onJoin: () => void): void {
  try {
    join(source, watcher, onJoin);
  } catch (cause) {
    watcher.end(followerFailure(cause));
  }
}
