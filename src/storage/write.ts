import { isDeepEqual, isPromised, parseWrittenJson, stringifyJson } from '#base';
import type { ApiObject } from '#api';
import type { Commit, Engine, Precondition, Write } from './engine.ts';
import type { Key } from './entry.ts';
import type { Decide, Decision, Stored, WriteHints, Written } from './object-store.ts';
import { parseRevision } from './revision.ts';
import { createUnshared, createStored, isOutdated, keepSource, valueOf, type KindCodec } from './stored.ts';
import { inKeyQueue } from './key-queue.ts';
import { StorageFailure } from './storage-failure.ts';

/**
 * The most bytes of an object's stored JSON, before encryption. Many times what Kubernetes' default of etcd takes (1.5 MiB a request), and a bound all the
 * same: patches that each add a little would otherwise make an object that no list, watch or process can carry.
 */
export const MAX_OBJECT_BYTES = 8 * 1024 * 1024;

/** Each conflict means that another writer succeeded; this many in a row mean that something is wrong. */
const MAX_ATTEMPTS = 100;

/** The live object, as far as it is known. */
interface Live<T extends ApiObject> {
  readonly stored: Stored<T> | undefined;
  /** It was read from the engine and not only assumed by the caller. */
  readonly sure: boolean;
  /** The last commit failed because a precondition did not hold. */
  readonly preconditionFailed?: boolean;
}

/** The constant inputs of one write. */
interface Attempt<T extends ApiObject> {
  readonly engine: Engine;
  readonly codec: KindCodec<T>;
  readonly key: Key;
  readonly hints: WriteHints<T>;
}

/**
 * The write behind create, update, delete and dry-run, with optimistic concurrency: read, decide, compare-and-swap, and after a conflict again with
 * the object that is there now. Throws `StorageFailure` (`tooLarge`: beyond `MAX_OBJECT_BYTES`), and whatever `decide` and the functions of `hints` throw.
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
  return once(attempt, decide, live).then((first) => ('conflict' in first ? retry(attempt, decide, first.conflict) : first));
}

function retry<T extends ApiObject>(attempt: Attempt<T>, decide: Decide<T>, conflict: Live<T>): Promise<Written<T>> {
  const { engine, key } = attempt;
  return inKeyQueue(engine, key, async (hasWaited) => {
    let live = hasWaited ? { ...(await read(attempt)), preconditionFailed: conflict.preconditionFailed === true } : conflict;
    for (let i = 1; i < MAX_ATTEMPTS; i++) {
      const outcome = await once(attempt, decide, live, true);
      if (!('conflict' in outcome)) return outcome;
      live = outcome.conflict;
    }
    throw new StorageFailure('contended', `gave up writing ${key}: somebody else was faster ${MAX_ATTEMPTS} times in a row`);
  });
}

/** `conflict`: nothing was written, because this is the live object instead of the one decided from. */
type Outcome<T extends ApiObject> = Written<T> | { readonly conflict: Live<T> };

async function once<T extends ApiObject>(attempt: Attempt<T>, decide: Decide<T>, live: Live<T>, isRetry = false): Promise<Outcome<T>> {
  let plan: Plan<T>;
  try {
    const decided = decide(live.stored?.object);
    plan = planOf(attempt, live.stored, isPromised(decided) ? await decided : decided);
  } catch (error) {
    // The caller's assumption may be why this threw, so the object is read; not where it was assumed to be absent, which the commit itself checks.
    const now = live.stored === undefined ? undefined : await changed(attempt, live);
    if (now !== undefined) return { conflict: now };
    throw error;
  }
  if (plan.write === undefined || attempt.hints.dryRun === true) {
    const now = await changed(attempt, live);
    return now === undefined ? plan.written(live.stored?.revision ?? 0) : { conflict: now };
  }
  const { preconditions } = plan.write.expect === 0 ? attempt.hints : {};
  const conditions = preconditions?.(live.preconditionFailed === true) ?? [];
  const write = completed(plan.write, isPromised(conditions) ? await conditions : conditions, isRetry);
  attempt.hints.beforeCommit?.();
  const commit: Commit = await attempt.engine.commit(write);
  if (commit.done) return plan.written(commit.revision);
  return { conflict: { stored: commit.found && createStored(commit.found, attempt.codec.select), sure: true, preconditionFailed: commit.preconditionFailed === true } };
}

/** All writes have the same properties in the same order: property access in the engines stays monomorphic, and fast. */
const completed = ({ key, expect, value, ttlSeconds }: Write, preconditions: readonly Precondition[], isRetry: boolean): Write => ({ key, expect, value, ttlSeconds, preconditions, isRetry });

interface Plan<T extends ApiObject> {
  /** Absent: there is nothing to write. */
  readonly write: Write | undefined;
  /** The result after the commit at `revision`; in a dry-run `revision` is that of the live object, or 0 when there is none. */
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
  const isDryRun = hints.dryRun === true;
  // A dry run stores nothing that could have a resourceVersion of its own, so a new object is answered with the one it came with.
  const value = isDryRun && live === undefined ? stringifyJson(next) : codec.encode(next);
  if (live !== undefined && !isOutdated(live) && isSame(next, value, live)) return nothing(live);
  if (value.length > MAX_OBJECT_BYTES) throw new StorageFailure('tooLarge', `${key} would have ${value.length} bytes, more than ${MAX_OBJECT_BYTES}`);
  const make = isDryRun ? createUnshared<T> : shared<T>;
  // Watches read the object right after the commit, and an object that was changed once is likely to be changed again.
  if (!isDryRun) keepSource(value, next);
  return {
    write: { key, expect: live?.revision ?? 0, value, ttlSeconds: hints.ttlSeconds, preconditions: undefined },
    written: (revision) => ({ did: live === undefined ? 'create' : 'replace', stored: make(key, value, revision, codec.select) }),
  };
}

/** Whether two objects that differ in memory are stored as the same JSON: only possible where their resourceVersions differ. */
function isSame<T extends ApiObject>(next: T, value: Uint8Array, live: Stored<T>): boolean {
  if (next.metadata.resourceVersion === live.object.metadata.resourceVersion) return false;
  const before = valueOf(live);
  return value.length === before.length && isDeepEqual(parseWrittenJson(value), parseWrittenJson(before));
}

function planRemove<T extends ApiObject>({ key, codec }: Attempt<T>, live: Stored<T>, last: T | undefined): Plan<T> {
  // A last state that was never stored gets the resourceVersion of the stored one.
  const stored = last === undefined || last === live.object ? live : createUnshared(key, codec.encode(last), live.revision, codec.select);
  const write = { key, expect: live.revision, value: undefined, ttlSeconds: undefined, preconditions: undefined };
  return { write, written: () => ({ did: 'remove', stored }) };
}

const shared = <T extends ApiObject>(key: Key, value: Uint8Array, revision: number, select: KindCodec<T>['select']): Stored<T> =>
  createStored({ key, value, revision }, select);

function read<T extends ApiObject>({ engine, key, codec }: Attempt<T>): Promise<Live<T>> {
  return engine.get(key).then((entry) => ({ stored: entry && createStored(entry, codec.select), sure: true }));
}

/** The live object, if it is not the one that was assumed. */
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
  return revision === 0 ? undefined : { stored: createUnshared(key, codec.encode(assume), revision, codec.select), sure: false };
}
