import { SortedMap } from '#base';
import type { Change, Page, Scan } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import { compactedFailure, futureFailure, type StorageFailure } from '../../storage-failure.ts';

interface Version {
  readonly revision: Revision;
  /** Absent: deleted at this revision. */
  readonly entry: Entry | undefined;
}

/** Every value of every key since the oldest revision kept, and all changes after that revision. */
export class History {
  /** The versions of each key, oldest first; no list is empty. */
  readonly #versions = new SortedMap<Version[]>();
  /** All changes after `#compacted`, one for each revision. */
  #changes: Change[] = [];
  #timesMs: number[] = [];
  #head: Revision;
  #compacted: Revision;

  constructor(first: Revision) {
    this.#head = first;
    this.#compacted = first;
  }

  get head(): Revision {
    return this.#head;
  }

  /** The failure of reading at a revision that was compacted; undefined: it is readable. */
  forgotten(at: Revision): StorageFailure | undefined {
    return at >= this.#compacted ? undefined : compactedFailure(at, this.#compacted);
  }

  get(key: Key, at?: Revision): Entry | undefined {
    const revision = this.#checked(at);
    return versionAt(this.#versions.get(key), revision);
  }

  scan({ start, end, limit = Infinity, at, count = false }: Scan): Page {
    const revision = this.#checked(at);
    const entries: Entry[] = [];
    let total = 0;
    for (const [, versions] of this.#versions.range(start, end)) {
      const entry = versionAt(versions, revision);
      if (entry === undefined) continue;
      if (entries.length < limit) entries.push(entry);
      total++;
      if (!count && total > limit) break;
    }
    return { entries, more: total > entries.length, revision, ...(count ? { total } : {}) };
  }

  append(key: Key, value: Uint8Array | undefined, nowMs: number): Change {
    const revision = ++this.#head;
    const versions = this.#versions.get(key) ?? [];
    const before = versions[versions.length - 1]?.entry;
    const change: Change = {
      key,
      revision,
      ...(value === undefined ? {} : { value }),
      ...(before === undefined ? {} : { before }),
    };
    versions.push({ revision, entry: value === undefined ? undefined : { key, value, revision } });
    if (versions.length === 1) this.#versions.set(key, versions);
    this.#changes.push(change);
    this.#timesMs.push(nowMs);
    return change;
  }

  changes(after: Revision, upTo: Revision, limit: number): { items: readonly Change[]; position: Revision } {
    const failure = this.forgotten(after);
    if (failure !== undefined) throw failure;
    const position = Math.min(upTo, after + limit);
    return { items: this.#changes.slice(after - this.#compacted, position - this.#compacted), position };
  }

  compact(before: Revision): void {
    if (before > this.#head) throw futureFailure(before, this.#head);
    const dropped = this.#changes.slice(0, Math.max(0, before - this.#compacted));
    if (dropped.length === 0) return;
    this.#changes = this.#changes.slice(dropped.length);
    this.#timesMs = this.#timesMs.slice(dropped.length);
    this.#compacted = before;
    for (const { key } of dropped) this.#forget(key, before);
  }

  /** Compacts changes made at or before `untilMs`, but no more than `most`; returns the time of the oldest change left. */
  trim(untilMs: number, most: number): number | undefined {
    const kept = this.#timesMs.findIndex((timeMs) => timeMs > untilMs);
    this.compact(Math.min(kept < 0 ? this.#head : this.#compacted + kept, this.#compacted + most));
    return this.#timesMs[0];
  }

  #forget(key: Key, before: Revision): void {
    const versions = this.#versions.get(key);
    if (versions === undefined) return;
    let drop = 0;
    while (versions[drop + 1] !== undefined && versions[drop + 1]!.revision <= before) drop++;
    versions.splice(0, drop);
    // A removal that comes first is not after `before`: what was removed would stand ahead of it.
    if (versions[0]!.entry === undefined) versions.shift();
    if (versions.length === 0) this.#versions.delete(key);
  }

  #checked(at: Revision | undefined): Revision {
    if (at === undefined) return this.#head;
    if (at > this.#head) throw futureFailure(at, this.#head);
    const failure = this.forgotten(at);
    if (failure !== undefined) throw failure;
    return at;
  }
}

function versionAt(versions: readonly Version[] | undefined, at: Revision): Entry | undefined {
  if (versions === undefined) return undefined;
  for (let i = versions.length - 1; i >= 0; i--) {
    const version = versions[i]!;
    if (version.revision <= at) return version.entry;
  }
  return undefined;
}
