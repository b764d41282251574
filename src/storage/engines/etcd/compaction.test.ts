import assert from 'node:assert/strict';
import { it } from 'node:test';
import { StillClock } from '#base';
import { StorageFailure } from '../../storage-failure.ts';
import type { Cluster } from './cluster.ts';
import { Compaction } from './compaction.ts';
import type { KeyValues } from './kv.ts';

const EVERY_MS = 60_000;

/** An etcd as far as compaction asks for it: its revision, and how often the key by which servers agree was written. */
class Etcd {
  revision = 10;
  version = 0;
  isFull = false;
  /** Who compacted to what, and was told so. */
  readonly log: string[] = [];

  readonly cluster = {
    write: async (_method: unknown, { compare }: { readonly compare: { readonly version: number } }) => {
      if (this.isFull) throw new StorageFailure('full', 'no space');
      const succeeded = compare.version === this.version;
      if (succeeded) {
        this.version++;
        this.revision++;
      }
      return { succeeded, revision: this.revision, found: succeeded ? undefined : this.entries[0] };
    },
    read: async () => ({ entries: this.entries, revision: this.revision }),
  } as unknown as Cluster;

  get entries(): readonly { readonly version: number }[] {
    return this.version === 0 ? [] : [{ version: this.version }];
  }
}

class Server {
  readonly #clock = new StillClock();
  readonly compaction: Compaction;

  constructor(etcd: Etcd, name: string, everyMs = EVERY_MS) {
    const keyValues = { compact: async (before: number) => void etcd.log.push(`${name} compacts to ${before}`) } as unknown as KeyValues;
    const compacted = (oldest: number): void => void etcd.log.push(`${name} says ${oldest}`);
    this.compaction = new Compaction(etcd.cluster, keyValues, { clock: this.#clock, everyMs, compacted, failed: (cause) => assert.fail(String(cause)) });
  }

  get pending(): number {
    return this.#clock.pending;
  }

  async round(): Promise<void> {
    this.#clock.turn(EVERY_MS);
    await this.compaction.running;
  }
}

it('history is compacted by one server in each round, to where it was a round ago, and by another one when that has gone', async () => {
  const etcd = new Etcd();
  const [first, second] = [new Server(etcd, 'first'), new Server(etcd, 'second')];
  for (const revision of [10, 20]) {
    etcd.revision = revision;
    await first.round();
    await second.round();
  }
  assert.deepEqual(etcd.log.splice(0), ['first compacts to 11', 'first says 11']);
  first.compaction.stop();
  etcd.revision = 30;
  await first.round();
  await second.round();
  assert.deepEqual(etcd.log, ['second compacts to 21', 'second says 21']);
  second.compaction.stop();
});

it('history in an etcd that is full is compacted by every server, and by one again when there is space', async () => {
  const etcd = new Etcd();
  etcd.version = 5;
  etcd.isFull = true;
  const [first, second] = [new Server(etcd, 'first'), new Server(etcd, 'second')];
  const round = async (): Promise<readonly string[]> => {
    for (const server of [first, second]) await server.round();
    return etcd.log.splice(0);
  };
  assert.deepEqual(await round(), []);
  etcd.revision = 20;
  assert.deepEqual(await round(), ['first compacts to 10', 'first says 10', 'second compacts to 10', 'second says 10']);
  etcd.isFull = false;
  assert.deepEqual(await round(), ['first compacts to 20', 'first says 20']);
  for (const server of [first, second]) server.compaction.stop();
});

it('history is left alone where no interval is given', () => {
  assert.equal(new Server(new Etcd(), 'first', 0).pending, 0);
});
