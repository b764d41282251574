import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readLists, removeFromLists } from './lists.ts';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-lists-'));
after(() => fs.rmSync(home, { recursive: true }));

function write(file: string, text: string): void {
  fs.writeFileSync(path.join(home, file), text);
}

test('names are read with why they are listed; comments and blank lines are not names', () => {
  write('not-yet.orch.txt', '# why\na/one\n\na/two\n');
  write('deviations.orch.txt', 'b/one  R4.2-09: creates it\n');
  assert.deepEqual([...readLists(home, 'orch')], [['a/one', 'notYet'], ['a/two', 'notYet'], ['b/one', 'onPurpose']]);
  assert.deepEqual([...readLists(home, 'kubernetes')], []);
});

test('a name listed twice is refused', () => {
  write('not-yet.orch.txt', 'a/one\na/one\n');
  assert.throws(() => readLists(home, 'orch'), /a\/one is listed twice/);
});

test('a deviation without a reason is refused', () => {
  write('not-yet.orch.txt', '');
  write('deviations.orch.txt', 'b/one\n');
  assert.throws(() => readLists(home, 'orch'), /b\/one needs a reason/);
});

test('removing takes out exactly the names given and keeps everything else as it was', () => {
  write('not-yet.orch.txt', '# why\na/one\na/two\n');
  write('deviations.orch.txt', 'b/one  R4.2-09: creates it\n');
  removeFromLists(home, 'orch', new Set(['a/one', 'b/one', 'c/other']));
  assert.equal(fs.readFileSync(path.join(home, 'not-yet.orch.txt'), 'utf8'), '# why\na/two\n');
  assert.equal(fs.readFileSync(path.join(home, 'deviations.orch.txt'), 'utf8'), '');
});

test('the checked-in lists can be read', () => {
  for (const dialect of ['kubernetes', 'orch']) readLists(path.resolve('test/conformance'), dialect);
});
