import { isDeepEqual, isPromised, parseJson } from '#base';
import type { ApiObject } from '#api';
import { StorageFailure, type Commit, type Engine, type Key, type Write } from './engine.ts';
import type { Decide, Decision, Stored, WriteHints, Written } from './object-store.ts';
import { parseRevision } from './revision.ts';
import { createShown, createStored, isOutdated, keepSource, valueOf, type KindCodec } from './stored.ts';
import { inTurn } from './turns.ts';

/** Each lost race means that somebody else got on; this many in a row means that something is wrong. */
const MAX_ATTEMPTS = 100;

/** What stands there as far as is known. */
interface Live<T extends ApiObject> {
  readonly stored: Stored<T> | undefined;
  /** Read from the store, not only assumed. */
  readonly sure: boolean;
  /** What was given for a write stood no longer. */
  readonly lapsed?: boolean;
}

/** One write on its way. */
interface Attempt<T extends ApiObject> {
  readonly engine: Engine;
  readonly codec: KindCodec<T>;
  readonly key: Key;
  readonly hints: WriteHints<T>;
}

/**
 * The one guarded write behind create, update, delete and dry-run: look, decide, commit if nothing changed since, else again with what is
 * there now. Whatever `decide` throws passes through. Throws `StorageFailure`.
 * @spec 4.3 @spec 4.8
 */
export function write<T extends ApiObject>(
  engine: Engine,
  codec: KindCodec<T>,
  key: Key,
  decide: Decide<T>,
  hints: WriteHints<T> = {},
): Promise<Written<T>> {
  const attempt: Attempt<T> = { engine, codec, key, hints };
  const live = assumed(attempt);
  return live === undefined ? read(attempt).then((found) => begin(attempt, decide, found)) : begin(attempt, decide, live);
}

function begin<T extends ApiObject>(attempt: Attempt<T>, decide: Decide<T>, live: Live<T>): Promise<Written<T>> {
  return once(attempt, decide, live).then((first) => ('stands' in first ? again(attempt, decide, first.stands) : first));
}

function again<T extends ApiObject>(attempt: Attempt<T>, decide: Decide<T>, stands: Live<T>): Promise<Written<T>> {
  const { engine, key } = attempt;
  return inTurn(engine, key, async (hasWaited) => {
    let live = hasWaited ? { ...(await read(attempt)), lapsed: stands.lapsed === true } : stands;
    for (let i = 1; i < MAX_ATTEMPTS; i++) {
      const outcome = await once(attempt, decide, live);
      if (!('stands' in outcome)) return outcome;
      live = outcome.stands;
    }
    throw new StorageFailure('unavailable', `gave up writing ${key}: somebody else was faster ${MAX_ATTEMPTS} times in a row`);
  });
}

/** `stands`: it did not work out, and this is what stands there instead. */
type Outcome<T extends ApiObject> = Written<T> | { readonly stands: Live<T> };

async function once<T extends ApiObject>(attempt: Attempt<T>, decide: Decide<T>, live: Live<T>): Promise<Outcome<T>> {
  let decision: Decision<T>;
  try {
    const decided = decide(live.stored?.object);
    decision = isPromised(decided) ? await decided : decided;
  } catch (error) {
    // An assumption may have misled it; who assumed nothing there is told so by the commit, not before.
    const now = live.stored === undefined ? undefined : await changed(attempt, live);
    if (now !== undefined) return { stands: now };
    throw error;
  }
  const plan = planOf(attempt, live.stored, decision);
  if (plan.write === undefined || attempt.hints.dryRun === true) {
    const now = await changed(attempt, live);
    return now === undefined ? plan.written(live.stored?.revision ?? 0) : { stands: now };
  }
  const { given } = plan.write.expect === 0 ? attempt.hints : {};
  const standing = given?.(live.lapsed === true) ?? [];
  const all = isPromised(standing) ? await standing : standing;
  const commit: Commit = await attempt.engine.commit(all.length === 0 ? plan.write : { ...plan.write, given: all });
  if (commit.done) return plan.written(commit.revision);
  return { stands: { stored: commit.found && createStored(commit.found, attempt.codec.select), sure: true, lapsed: commit.lapsed === true } };
}

interface Plan<T extends ApiObject> {
  /** Absent: there is nothing to write. */
  readonly write: Write | undefined;
  /** The result, once done. `revision`: of the commit; in a dry-run that of what stands there, 0 when nothing does. */
  readonly written: (revision: number) => Written<T>;
}

function planOf<T extends ApiObject>(attempt: Attempt<T>, live: Stored<T> | undefined, decision: Decision<T>): Plan<T> {
  if ('put' in decision) return planPut(attempt, live, decision.put);
  if (live === undefined) throw new TypeError(`nothing stands at ${attempt.key} that could be kept or removed`);
  return 'keep' in decision ? nothing(live) : planRemove(attempt, live, decision.last);
}

const nothing = <T extends ApiObject>(live: Stored<T>): Plan<T> => ({
  write: undefined,
  written: () => ({ did: 'nothing', stored: live }),
});

function planPut<T extends ApiObject>({ key, codec, hints }: Attempt<T>, live: Stored<T> | undefined, next: T): Plan<T> {
  if (live !== undefined && !isOutdated(live) && isDeepEqual(next, live.object)) return nothing(live);
  const value = codec.encode(next);
  if (live !== undefined && !isOutdated(live) && isSame(next, value, live)) return nothing(live);
  const isDryRun = hints.dryRun === true;
  const make = isDryRun ? createShown<T> : shared<T>;
  // Who follows the resource looks at it in a moment, and what was changed once is likely to be changed again.
  if (!isDryRun) keepSource(value, next);
  return {
    write: { key, expect: live?.revision ?? 0, value, ...(hints.ttlSeconds === undefined ? {} : { ttlSeconds: hints.ttlSeconds }) },
    written: (revision) => ({ did: live === undefined ? 'create' : 'replace', stored: make(key, value, revision, codec.select) }),
  };
}

/** Objects that differ may be stored as the same bytes only where the version is all that differs, or where bytes leave something out. */
function isSame<T extends ApiObject>(next: T, value: Uint8Array, live: Stored<T>): boolean {
  if (next.metadata.resourceVersion === live.object.metadata.resourceVersion) return false;
  const before = valueOf(live);
  return value.length === before.length && isDeepEqual(parseJson(value), parseJson(before));
}

function planRemove<T extends ApiObject>({ key, codec }: Attempt<T>, live: Stored<T>, last: T | undefined): Plan<T> {
  // A last state that was never stored is shown with the version of the one that was.
  const stored = last === undefined || last === live.object ? live : createShown(key, codec.encode(last), live.revision, codec.select);
  return { write: { key, expect: live.revision }, written: () => ({ did: 'remove', stored }) };
}

const shared = <T extends ApiObject>(key: Key, value: Uint8Array, revision: number, select: KindCodec<T>['select']): Stored<T> =>
  createStored({ key, value, revision }, select);

function read<T extends ApiObject>({ engine, key, codec }: Attempt<T>): Promise<Live<T>> {
  return engine.get(key).then((entry) => ({ stored: entry && createStored(entry, codec.select), sure: true }));
}

/** What stands there, if that is not what was assumed. */
async function changed<T extends ApiObject>(attempt: Attempt<T>, live: Live<T>): Promise<Live<T> | undefined> {
  if (live.sure) return undefined;
  const now = await read(attempt);
  return now.stored?.revision === live.stored?.revision ? undefined : now;
}

function assumed<T extends ApiObject>({ key, codec, hints: { assume, seen } }: Attempt<T>): Live<T> | undefined {
  if (seen !== undefined) return { stored: seen, sure: false };
  if (assume === undefined) return undefined;
  if (assume === 'absent') return { stored: undefined, sure: false };
  const revision = parseRevision(assume.metadata.resourceVersion ?? '') ?? 0;
  return revision === 0 ? undefined : { stored: createShown(key, codec.encode(assume), revision, codec.select), sure: false };
}
