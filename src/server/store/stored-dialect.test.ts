import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIALECTS, type Dialect } from '#api';
import { openEngine, type Engine } from '#storage';
import { passing } from '#test-support';
import { startServer, startServerOn } from '../start.ts';
import { ofOwnDialect } from './stored-dialect.ts';

const BOTH = [['orch', 'kubernetes'], ['kubernetes', 'orch']] as const satisfies readonly (readonly [Dialect, Dialect])[];

for (const [first, other] of BOTH) {
  test(`a store of the dialect ${first} is not opened in ${other}, and nothing is written to it: controllers would delete what they take for left behind`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orch-dialect-'));
    const store = `lmdb://${join(folder, 'store')}`;
    const start = (dialect: Dialect): ReturnType<typeof startServer> => startServer({ dialect, store, listen: false, controllers: 'none' });
    const headOf = async (): Promise<number> => {
      const engine = await openEngine(store);
      const head = await engine.head();
      await engine.close();
      return head;
    };
    try {
      await (await start(first)).close();
      const before = await headOf();
      await assert.rejects(start(other), { message: `the store was written in the dialect ${first}, and this server speaks ${other}: give it that dialect, or another store` });
      assert.equal(await headOf(), before);
      await (await start(first)).close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('an engine of another dialect is closed, also one that a program brings', async () => {
  const memory = await openEngine('memory://');
  let closed = 0;
  // The server that writes ends, and the store stays.
  const kept: Engine = { ...passing(memory), close: () => Promise.resolve() };
  await (await startServerOn(kept, { dialect: 'kubernetes', listen: false, controllers: 'none' })).close();
  const counted: Engine = { ...kept, close: async () => void closed++ };
  await assert.rejects(startServerOn(counted, { dialect: 'orch', listen: false }), /^Error: the store was written in the dialect kubernetes/);
  assert.equal(closed, 1);
  await memory.close();
});

test('a store that has something of both dialects opens in either, and one that is empty', async () => {
  const empty = await openEngine('memory://');
  for (const dialect of DIALECTS) assert.equal(await ofOwnDialect(empty, { dialect, store: 'memory://' }), empty);
  for (const domain of ['orch.io', 'k8s.io']) await empty.commit({ key: `/registry/apiregistration.${domain}/apiservices/v1.`, expect: 0, value: Buffer.from('{}') });
  for (const dialect of DIALECTS) assert.equal(await ofOwnDialect(empty, { dialect, store: 'memory://' }), empty);
  await empty.close();
});
