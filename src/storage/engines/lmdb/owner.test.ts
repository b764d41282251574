import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { world } from '../../world.ts';
import { connectTo } from './liveness-socket.ts';
import { OpenLock } from './open-lock.ts';
import type { OpenFolder } from './open-folder.ts';
import { ifStillOwnedBy, isAlive, readOwner, takeOwnership, type Owner, type Ownership } from './owner.ts';

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

function openFolder(context: TestContext, isShared = true): OpenFolder {
  const path = mkdtempSync(join(tmpdir(), 'orch-owner-'));
  folders.push(path);
  const lock = OpenLock.open(path);
  context.after(() => lock.close());
  return { path, lock, isShared, leave: async () => {} };
}

async function own(folder: OpenFolder): Promise<Ownership> {
  const taken = await takeOwnership(folder, () => {});
  assert.ok('giveUp' in taken);
  return taken;
}

const socketsIn = (folder: OpenFolder): readonly string[] => readdirSync(folder.path).filter((name) => name.includes('owner-'));

describe('the owner of a store', () => {
  it('is one of those who want to be it at the same time: it alone begins, and the others learn who it is', async (context) => {
    const folder = openFolder(context);
    let begun = 0;
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => takeOwnership(folder, () => void begun++)));
    const owners = outcomes.filter((outcome): outcome is Ownership => 'giveUp' in outcome);
    const refused = outcomes.filter((outcome): outcome is Owner => 'id' in outcome);
    assert.deepEqual([owners.length, refused.length, begun], [1, 9, 1]);
    for (const owner of refused) assert.deepEqual(owner, readOwner(folder.path));
    assert.deepEqual(socketsIn(folder), [readOwner(folder.path)?.socket]);
    await owners[0]?.giveUp();
    assert.deepEqual([readOwner(folder.path), socketsIn(folder)], [undefined, []]);
    await (await own(folder)).giveUp();
  });

  it('takes the writes of others where it shares the store, and nowhere else', async (context) => {
    for (const isShared of [true, false]) {
      const folder = openFolder(context, isShared);
      const owner = await own(folder);
      assert.equal(readOwner(folder.path)?.isShared ?? false, isShared);
      await owner.giveUp();
    }
  });

  it('takes nothing from the one that has followed it', async (context) => {
    const folder = openFolder(context);
    const first = await own(folder);
    const next: Owner = { id: 'next', pid: 1, started: '', world: '' };
    writeFileSync(join(folder.path, 'owner.json'), JSON.stringify(next));
    await first.giveUp();
    assert.deepEqual(readOwner(folder.path), next);
    assert.equal(await ifStillOwnedBy({ ...next, id: 'first' }, folder, assert.fail), false);
    assert.equal(await ifStillOwnedBy(undefined, folder, assert.fail), false);
  });

  it('is not who failed to begin, nor who left half a record', async (context) => {
    const folder = openFolder(context);
    await assert.rejects(takeOwnership(folder, () => assert.fail('it cannot begin')), /it cannot begin/);
    assert.deepEqual(socketsIn(folder), []);
    const owner = await own(folder);
    const record = readFileSync(join(folder.path, 'owner.json'), 'utf8');
    await owner.giveUp();
    writeFileSync(join(folder.path, 'owner.json'), record.slice(0, 20));
    await (await own(folder)).giveUp();
    assert.equal(existsSync(join(folder.path, 'owner.json')), false);
  });

  it('is called by others, and does not answer before it can', async (context) => {
    const folder = openFolder(context);
    const owner = await own(folder);
    const call = async (): Promise<Socket> => (await connectTo(folder.path, readOwner(folder.path)?.socket ?? '')) as Socket;
    await once((await call()).resume(), 'close');
    const called = new Promise<Socket>((resolve) => owner.receive(resolve));
    const line = await call();
    (await called).destroy();
    await once(line.resume(), 'close');
    await owner.giveUp();
  });

  it('that has no socket lives for as long as its process does, and is no other process that has got its id', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const pid = child.pid!;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const owner: Owner = { id: 'a', pid, started: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!, world: world() };
    const isOwnerAlive = (other: Partial<Owner> = {}): Promise<boolean> => isAlive({ ...owner, ...other }, tmpdir());
    assert.equal(await isOwnerAlive(), true);
    assert.equal(await isOwnerAlive({ started: '1' }), false);
    assert.equal(await isOwnerAlive({ world: 'another' }), false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(await isOwnerAlive(), false);
  });
});
