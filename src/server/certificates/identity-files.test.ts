import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openIdentityFiles } from './identity-files.ts';

const FILES = ['ca.crt', 'ca.key', 'apiserver.crt', 'apiserver.key', 'admin.token', 'sa.key'];

const folder = await mkdtemp(join(tmpdir(), 'orch-identity-'));
after(() => rm(folder, { recursive: true }));

test('what identifies a server is kept, for its owner alone, and made anew where a part of it is missing', async () => {
  const open = () => openIdentityFiles(folder, [], Date.now());
  let kept = await open();
  assert.deepEqual(await open(), kept);
  for (const file of FILES) {
    assert.equal((await stat(join(folder, 'pki', file))).mode & 0o077, 0, file);
    await unlink(join(folder, 'pki', file));
    const anew = await open();
    assert.deepEqual(await open(), anew, `${file} was lost`);
    const changed = (['authority', 'serving', 'adminToken', 'tokenKey'] as const).filter((part) => JSON.stringify(anew[part]) !== JSON.stringify(kept[part]));
    // Without its authority no certificate is good.
    const expected = file.startsWith('ca') ? ['authority', 'serving'] : file.startsWith('apiserver') ? ['serving'] : file === 'admin.token' ? ['adminToken'] : ['tokenKey'];
    assert.deepEqual(changed, expected, `${file} was lost`);
    kept = anew;
  }
});
