import assert from 'node:assert/strict';
import { StorageFailure, type Engine, type Revision } from '#storage';

/** A write of which `writer.ts` was told that it is durable. */
export interface Acknowledged {
  readonly revision: Revision;
  readonly key: string;
  /** `-`: removed. */
  readonly value: string;
}

/** What `writer.ts` printed: the revision it found the store at, and what was acknowledged. What follows the last line break was not told. */
export function parseTold(output: string): { readonly found: Revision; readonly acknowledged: Acknowledged[] } {
  const [first = '', ...lines] = output.slice(0, output.lastIndexOf('\n')).split('\n');
  const acknowledged = lines.map((line) => {
    const [revision = '', key = '', value = ''] = line.split(' ');
    return { revision: Number(revision), key, value };
  });
  return { found: Number(first.split(' ')[0]), acknowledged };
}

/** Each acknowledged write is there at its revision; one that is compacted is there or was replaced by a later one. */
export async function checkAll(engine: Engine, acknowledged: readonly Acknowledged[]): Promise<void> {
  const last = new Map<string, Acknowledged>();
  for (const write of acknowledged) {
    const { revision, key, value } = write;
    if (revision > (last.get(key)?.revision ?? 0)) last.set(key, write);
    try {
      const entry = await engine.get(key, revision);
      if (value === '-') assert.equal(entry, undefined, `${key} was removed at ${revision}`);
      else assert.deepEqual([entry?.revision, entry && Buffer.from(entry.value).toString()], [revision, value]);
    } catch (error) {
      if (!(error instanceof StorageFailure && error.code === 'compacted')) throw error;
    }
  }
  for (const { key, revision, value } of last.values()) {
    const live = await engine.get(key);
    // A write after the last acknowledged one may have become durable without anyone being told.
    if (live === undefined || live.revision > revision) continue;
    assert.deepEqual([live.revision, Buffer.from(live.value).toString()], [revision, value]);
  }
  const { entries, revision } = await engine.scan({ start: '/', end: '0' });
  for (const entry of entries) assert.ok(entry.revision <= revision);
}

/** The log holds every revision since `from` (or since what is compacted), and the acknowledged ones say what was acknowledged. */
export async function checkFeed(engine: Engine, from: Revision, acknowledged: readonly Acknowledged[]): Promise<void> {
  const head = await engine.head();
  if (from >= head) return;
  const seen = new Map<Revision, string>();
  const stop = new AbortController();
  const why = await new Promise<StorageFailure | undefined>((resolve) => {
    engine.follow(
      '/',
      from,
      {
        changes(batch, upTo) {
          for (const { revision, key, value } of batch) seen.set(revision, `${key} ${value === undefined ? '-' : Buffer.from(value).toString()}`);
          if (upTo >= head) resolve(undefined);
        },
        lost: resolve,
      },
      stop.signal,
    );
  });
  stop.abort();
  if (why !== undefined) {
    assert.deepEqual([why.code, why.revision !== undefined && why.revision > from], ['compacted', true]);
    return checkFeed(engine, why.revision!, acknowledged);
  }
  assert.deepEqual([...seen.keys()], Array.from({ length: head - from }, (_, i) => from + 1 + i));
  for (const { revision, key, value } of acknowledged) if (revision > from) assert.equal(seen.get(revision), `${key} ${value}`);
}
