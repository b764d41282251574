import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base';
import { schemaWords } from './schema-words.ts';

test('descriptions that cannot be loaded any more, as after an update of the package, are done without, and the log says so once', async () => {
  const warned: string[] = [];
  const words = schemaWords({ ...silentLog, warn: (message) => void warned.push(message) }, () => Promise.reject(new Error('Cannot find module')));
  await Promise.all([words.load(), words.load()]);
  await words.load();
  assert.equal(words.describe('Pod'), undefined);
  assert.equal(warned.length, 1);
  assert.match(warned[0]!, /^descriptions of fields cannot be loaded/);
});

test('descriptions are there once they are loaded', async () => {
  const words = schemaWords(silentLog);
  assert.equal(words.describe('Pod'), undefined);
  await words.load();
  assert.notEqual(words.describe('Pod'), undefined);
});
