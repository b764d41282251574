import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { checkStore } from '#storage';

const NOBODY = 65_534;
const FILES = { lmdb: 'orch.mdb', sqlite: 'orch.sqlite' } as const;
const folder = mkdtempSync(join(tmpdir(), 'orch-present-'));
const hidden = join(folder, 'hidden');
const isRoot = process.getuid?.() === 0;
/** Permissions do not bind root: what it may not do is tried as nobody. */
const asOthers = (id: number): void => void (isRoot && process.seteuid?.(id));

for (const [scheme, file] of Object.entries(FILES)) {
  test(`a check of a ${scheme} store that is not there says where none is`, async () => {
    const empty = join(folder, 'empty');
    await assert.rejects(checkStore(`${scheme}://${empty}`, () => {}), { code: 'unavailable', message: `there is no store in the folder ${empty}: no file ${file}` });
    const taken = join(folder, `file-${scheme}`);
    writeFileSync(taken, '');
    await assert.rejects(checkStore(`${scheme}://${taken}`, () => {}), { code: 'unavailable', message: `there is no store in ${taken}: it is no folder, or stands in none` });
  });
}

describe('a store in a folder that may not be entered', { skip: process.getuid === undefined ? 'files have no owners here' : false }, () => {
  before(() => {
    mkdirSync(join(hidden, 'store'), { recursive: true });
    for (const file of Object.values(FILES)) writeFileSync(join(hidden, 'store', file), '');
    chmodSync(folder, 0o755);
    chmodSync(hidden, 0);
    asOthers(NOBODY);
  });
  after(() => {
    asOthers(0);
    chmodSync(hidden, 0o700);
    rmSync(folder, { recursive: true });
  });

  for (const [scheme, file] of Object.entries(FILES)) {
    test(`is told as that, ${scheme}`, async () => {
      const store = join(hidden, 'store');
      const message = `the store ${join(store, file)} may not be looked for by this user: the folder ${hidden} belongs to the user with id ${process.getuid?.()}; run this as the owner`;
      await assert.rejects(checkStore(`${scheme}://${store}`, () => {}), { code: 'unavailable', message });
    });
  }
});
