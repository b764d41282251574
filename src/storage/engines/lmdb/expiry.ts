import { Alarm, type Clock } from '#base';
import type { Tables } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import { EXPIRE_KEYS, RETRY_MS } from './limits.ts';

/** When the first of the entries in the file expires; without end: none does. Throws what reading the file throws. */
export function readFirstEnd({ expiries }: Tables): number {
  for (const { key: [atMs] } of expiries.getRange({ limit: 1 })) return atMs;
  return Infinity;
}

/** Deletes entries when their time to live ends. The times are stored in the file, so they hold across restarts. */
export class Expiry {
  readonly #tables: Tables;
  readonly #commits: GroupCommit;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #failed: (cause: unknown) => void;

  /** `firstEndMs`: as `readFirstEnd` says. */
  constructor(tables: Tables, commits: GroupCommit, clock: Clock, firstEndMs: number, failed: (cause: unknown) => void) {
    this.#tables = tables;
    this.#commits = commits;
    this.#clock = clock;
    this.#failed = failed;
    this.#alarm = new Alarm(clock, () => void this.#expire());
    this.expect(firstEndMs);
  }

  /** Announces that an entry of the file expires at `atMs`; without end: none does. */
  expect(atMs: number): void {
    this.#alarm.setFor(atMs);
  }

  stop(): void {
    this.#alarm.stop();
  }

  async #expire(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    try {
      const rows = [...this.#tables.expiries.getRange({ limit: EXPIRE_KEYS + 1 })];
      const due = rows.filter(({ key: [atMs] }, i) => atMs <= nowMs && i < EXPIRE_KEYS);
      const next = rows[due.length]?.key[0];
      if (next !== undefined && next > nowMs) this.#alarm.setFor(next);
      // An entry that was written again meanwhile has another revision, so its delete is refused, as it must be.
      await Promise.all(due.map(({ key: [, key], value: revision }) => this.#commits.commit({ key, expect: revision })));
      if (next !== undefined && next <= nowMs) this.#alarm.setFor(nowMs);
    } catch (cause) {
      this.#failed(cause);
      this.#alarm.setFor(nowMs + RETRY_MS);
    }
  }
}
