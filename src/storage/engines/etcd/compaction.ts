import { Alarm, steady, type Clock } from '#base';
import type { Revision } from '../../entry.ts';
import type { Cluster } from './cluster.ts';
import { failureOf } from './failures.ts';
import type { KeyValues } from './kv.ts';
import { claim, range } from './methods.ts';

/** The key by which the servers on one etcd agree on which of them compacts; kube-apiserver uses the same key in the same way. */
const AGREED = Buffer.from('compact_rev_key');

/**
 * Compacts the history periodically, once for all servers on one etcd. In each round every server tries to update the key; the one that finds it as it
 * was a round ago succeeds, and compacts to the revision that the store had then. So every revision stays readable for at least one interval.
 */
export class Compaction {
  readonly #cluster: Cluster;
  readonly #keyValues: KeyValues;
  readonly #alarm: Alarm;
  readonly #everyMs: number;
  readonly #clock: Clock;
  readonly #compacted: (oldest: Revision) => void;
  readonly #failed: (cause: unknown) => void;
  /** The `version` of the key (how often it was written) when this server last saw it, and the store's revision then. */
  #seen: { readonly version: number; readonly revision: Revision } = { version: 0, revision: 0 };
  /** The round in progress. Never rejects. */
  running: Promise<void> = Promise.resolve();

  constructor(
    cluster: Cluster,
    keyValues: KeyValues,
    { clock, everyMs, compacted, failed }: { clock: Clock; everyMs: number; compacted: (oldest: Revision) => void; failed: (cause: unknown) => void },
  ) {
    this.#cluster = cluster;
    this.#keyValues = keyValues;
    this.#clock = steady(clock);
    this.#everyMs = everyMs;
    this.#compacted = compacted;
    this.#failed = failed;
    this.#alarm = new Alarm(this.#clock, () => {
      this.running = this.#round().catch(this.#failed).finally(() => this.#setAlarm());
    });
    this.#setAlarm();
  }

  stop(): void {
    this.#alarm.stop();
  }

  #setAlarm(): void {
    if (this.#everyMs > 0) this.#alarm.setFor(this.#clock.nowMs() + this.#everyMs);
  }

  async #round(): Promise<void> {
    const { revision: before } = this.#seen;
    const isTurn = await this.#claim();
    if (!isTurn || before === 0) return;
    await this.#keyValues.compact(before);
    this.#compacted(before);
  }

  /** Whether this server compacts in this round. On an etcd without space nobody can write who does, and all do: history that stays would keep it full. */
  async #claim(): Promise<boolean> {
    const { version, revision: before } = this.#seen;
    try {
      const mine = await this.#cluster.write(claim, {
        compare: { key: AGREED, version },
        success: { put: { key: AGREED, value: Buffer.from(String(before)) } },
        failure: { range: { key: AGREED, limit: 1 } },
      });
      this.#seen = { version: mine.succeeded ? version + 1 : (mine.found?.version ?? 0), revision: mine.revision };
      return mine.succeeded;
    } catch (error) {
      if (failureOf(error, 'cannot agree on what to compact').code !== 'full') throw error;
      const { entries, revision } = await this.#cluster.read(range, { key: AGREED, limit: 1 });
      this.#seen = { version: entries[0]?.version ?? 0, revision };
      return true;
    }
  }
}
