import { Tail } from '#base';
import type { Change } from '../../engine.ts';
import type { Revision } from '../../entry.ts';
import { followTail, type Following } from '../../follow-tail.ts';
import type { StorageFailure } from '../../storage-failure.ts';
import { readHead, type Tables } from './database.ts';
import type { History } from './history.ts';
import { CATCH_UP_BYTES, CATCH_UP_RECORDS } from './limits.ts';
import { decodeRecord, toChange } from './record.ts';

/** Delivers every change to all followers: when it becomes durable, or from the log to followers that are behind. */
export class ChangeFeed {
  readonly #tables: Tables;
  readonly #history: History;
  readonly #tail: Tail<Change>;

  constructor(tables: Tables, history: History) {
    this.#tables = tables;
    this.#history = history;
    this.#tail = new Tail<Change>(readHead(tables), { read: (after, upTo) => this.#read(after, upTo) });
  }

  /** The revision up to which all changes were published. */
  get position(): Revision {
    return this.#tail.position;
  }

  /** `failureToFollow`: why following is not possible, as for `followTail`. */
  follow(following: Following, failureToFollow: () => StorageFailure | undefined): void {
    followTail(this.#tail, following, failureToFollow);
  }

  publish(changes: readonly Change[], head: Revision): void {
    this.#tail.publish(changes, head);
  }

  /**
   * Publishes the changes of the log that are not published yet, as long as they are few: otherwise followers catch up with them, since a process that was
   * suspended may have missed very many. Where they were compacted or cannot be read, all feeds end.
   */
  publishFromLog(head: Revision): void {
    if (this.#tail.position >= head) return;
    try {
      const { items, position } = this.#read(this.#tail.position, head);
      this.#tail.publish(items, position);
      if (position < head) this.#tail.publishFromSource(head);
    } catch (cause) {
      this.#tail.fail(cause);
      this.#tail.publish([], head);
    }
  }

  fail(why: StorageFailure): void {
    this.#tail.fail(why);
  }

  #read(after: Revision, upTo: Revision): { items: readonly Change[]; position: Revision } {
    const failure = this.#history.forgotten(after);
    if (failure !== undefined) throw failure;
    const items: Change[] = [];
    let bytes = 0;
    for (const { key: revision, value } of this.#tables.log.getRange({ start: after + 1, end: upTo + 1, limit: CATCH_UP_RECORDS })) {
      const record = decodeRecord(value);
      const before = record.previous === 0 ? undefined : this.#history.entry(record.previous);
      items.push(toChange(revision, record.key, record.value && this.#history.entry(revision).value, before));
      bytes += (record.value?.length ?? 0) + (before?.value.length ?? 0);
      if (bytes >= CATCH_UP_BYTES) break;
    }
    return { items, position: items[items.length - 1]?.revision ?? upTo };
  }
}
