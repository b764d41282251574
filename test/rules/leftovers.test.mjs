// What a build takes away of earlier builds, and what it leaves.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { removeEarlier, removeOrphans } from '../../scripts/leftovers.mjs';

const HOUR_MS = 60 * 60 * 1000;
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-leftovers-'));
after(() => fs.rmSync(root, { recursive: true }));

/** A folder with these empty files. */
function folderWith(name, files) {
  const folder = path.join(root, name);
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), '');
  }
  return folder;
}

test('a part of the program that is written no more stays for a day, for servers that run, however old it is', () => {
  const bin = folderWith('a/bin', ['orch.js', 'part-1.js']);
  const nowMs = Date.now();
  const longAgo = nowMs / 1000 - 1_000_000;
  fs.utimesSync(path.join(bin, 'part-1.js'), longAgo, longAgo);
  removeEarlier(bin, ['orch.js', 'part-1.js'], { nowMs });
  fs.writeFileSync(path.join(bin, 'part-2.js'), '');
  removeEarlier(bin, ['orch.js', 'part-2.js'], { nowMs });
  removeEarlier(bin, ['orch.js', 'part-2.js'], { nowMs: nowMs + 23 * HOUR_MS });
  assert.deepEqual(fs.readdirSync(bin), ['orch.js', 'part-1.js', 'part-2.js']);
  removeEarlier(bin, ['orch.js', 'part-2.js'], { nowMs: nowMs + 25 * HOUR_MS });
  assert.deepEqual(fs.readdirSync(bin), ['orch.js', 'part-2.js']);
});

test('before a package is made all of them go', () => {
  const bin = folderWith('b/bin', ['orch.js', 'part-1.js', 'part-2.js']);
  removeEarlier(bin, ['orch.js', 'part-1.js', 'part-2.js']);
  removeEarlier(bin, ['orch.js'], { evenToday: true });
  assert.deepEqual(fs.readdirSync(bin), ['orch.js']);
});

test('what was compiled from a source that is gone goes with it, and nothing else', () => {
  const src = folderWith('c/src', ['here.ts', 'deep/er.test.ts']);
  const dist = folderWith('c/dist', ['here.js', 'here.js.map', 'here.d.ts', 'gone.js', 'gone.js.map', 'gone.d.ts', 'deep/er.test.js', 'deep/gone.js', 'bin/orch.js', 'notes.txt']);
  removeOrphans(dist, src, ['bin']);
  const left = fs.readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.deepEqual(left.map(({ name }) => name).sort(), ['er.test.js', 'here.d.ts', 'here.js', 'here.js.map', 'notes.txt', 'orch.js']);
});
