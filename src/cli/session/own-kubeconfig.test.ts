import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hasOwnKubeconfig } from './own-kubeconfig.ts';

const NOBODY = 65_534;
const folder = mkdtempSync(join(tmpdir(), 'orch-kubeconfig-'));
const isRoot = process.getuid?.() === 0;
/** Permissions do not bind root: what it may not do is tried as nobody. */
const asOthers = (id: number): void => void (isRoot && process.seteuid?.(id));

describe('the kubeconfig of orch serve', { skip: process.getuid === undefined ? 'files have no owners here' : false }, () => {
  before(() => {
    chmodSync(folder, 0o755);
    for (const name of ['shown', 'hidden']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'kubeconfig'), '');
      chmodSync(join(folder, name, 'kubeconfig'), 0);
    }
    chmodSync(join(folder, 'hidden'), 0);
    asOthers(NOBODY);
  });
  after(() => {
    asOthers(0);
    chmodSync(join(folder, 'hidden'), 0o700);
    rmSync(folder, { recursive: true });
  });

  for (const [name, place] of [['shown', 'shown/kubeconfig'], ['hidden', 'hidden']] as const) {
    test(`that may not be read names its owner, ${name}`, async () => {
      const path = join(folder, name, 'kubeconfig');
      const told = `${path} may not be read by this user; ${join(folder, place)} belongs to the user with id ${process.getuid?.()}: run it as the owner, or give a kubeconfig with --kubeconfig`;
      await assert.rejects(hasOwnKubeconfig(path), { name: 'TransportFailure', message: told });
    });
  }

  test('that is not there is no failure', async () => {
    for (const path of ['nowhere/kubeconfig', 'nowhere']) assert.equal(await hasOwnKubeconfig(join(folder, path)), false);
  });
});
