import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { StorageFailure } from '../../storage-failure.ts';
import { makeStore } from './database.ts';
import { NO_SQLITE } from './test-support.ts';
import { programOfThread, SqliteThread } from './thread.ts';

const fails = (words: RegExp) => (error: unknown): boolean => error instanceof StorageFailure && error.code === 'unavailable' && words.test(error.message);

describe('the program of the thread', () => {
  it('is beside the manifest', () => {
    assert.ok(existsSync(programOfThread(() => import.meta.resolve('#package.json'))));
  });

  for (const [where, findManifest] of [
    ['there is no manifest', () => assert.fail('there is none')],
    ['a bundler put the manifest beside the bundle', () => 'file:///nowhere/package.json'],
  ] as const) {
    it(`is said to be missing where ${where}`, () => {
      assert.throws(() => programOfThread(findManifest), fails(/^a sqlite:\/\/ store starts a thread from a file .* cannot be found: leave the package orch out of bundles, /));
    });
  }
});

describe('the thread that writes to SQLite', { skip: NO_SQLITE }, () => {
  it('says what to do once it has ended by itself, to who waits for it and to all who come later', async () => {
    const told: StorageFailure[] = [];
    const thread = new SqliteThread('/nowhere', (why) => told.push(why));
    const ended = fails(/^nothing is written to the store \/nowhere\/orch\.sqlite or read from it any more, because the thread that writes has ended \(.+\): start this server anew$/);
    await assert.rejects(thread.request({ kind: 'close' }), ended);
    await assert.rejects(thread.request({ kind: 'close' }), ended);
    assert.deepEqual(told.map(ended), [true]);
  });

  it('says that the store was closed once it was told to end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-sqlite-'));
    makeStore(folder);
    const thread = new SqliteThread(folder, (why) => assert.fail(why));
    assert.deepEqual(await thread.request({ kind: 'close' }), { kind: 'closed' });
    await assert.rejects(thread.request({ kind: 'close' }), fails(/^the store was closed$/));
    await rm(folder, { recursive: true });
  });
});
