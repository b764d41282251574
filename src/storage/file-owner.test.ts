import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openEngine } from '#storage';
import { NO_SQLITE } from './engines/sqlite/test-support.ts';

const NOBODY = 65_534;
const ONLY_ROOT = process.getuid?.() === 0 ? false : 'only root gives files away';
const folder = mkdtempSync(join(tmpdir(), 'orch-whose-'));
after(() => rmSync(folder, { recursive: true }));

/** Opens a store as nobody, where root has made one of its files, as a check by root does in the folder of a server. */
async function openedAsNobody(url: string, store: string, ofRoot: string): Promise<unknown> {
  chmodSync(folder, 0o755);
  mkdirSync(store);
  await (await openEngine(url)).close();
  for (const name of readdirSync(store)) rmSync(join(store, name));
  writeFileSync(join(store, ofRoot), '', { mode: 0o600 });
  chownSync(store, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await openEngine(url).then((engine) => engine.close(), (cause: unknown) => cause);
  } finally {
    process.seteuid?.(0);
  }
}

describe('a store of which a file belongs to another user', { skip: ONLY_ROOT }, () => {
  const engines = [['lmdb', 'gate.mdb', false], ['sqlite', 'orch.sqlite', NO_SQLITE]] as const;
  for (const [scheme, file, skip] of engines) {
    test(`is told as that, ${scheme}`, { skip }, async () => {
      const store = join(folder, scheme);
      const why = `${join(store, file)} belongs to the user with id 0, and this is the one with id ${NOBODY}: run it as that one, or give the files of the store to this one`;
      assert.match(String(await openedAsNobody(`${scheme}://${store}`, store, file)), new RegExp(`cannot be opened \\(.*\\): ${why}$`));
    });
  }
});
