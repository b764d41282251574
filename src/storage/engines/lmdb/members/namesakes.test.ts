import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { systemClock } from '#base';
import { HISTORY_SECONDS } from '../../../engine-suite.ts';
import { StorageFailure } from '../../../storage-failure.ts';
import { FIRST_PROCESS, NO_NAMESPACES } from '../../../test-support.ts';
import { driver } from '../index.ts';
import { openSnapshot } from '../snapshot.ts';
import { openIn } from '../test-support.ts';
import { world } from '../../../world.ts';
import type { MemberRequest } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';
import { Namesakes } from './namesakes.ts';

const folders: string[] = [];
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-lmdb-'));
  folders.push(folder);
  return folder;
};
const isNamesake = (pid: number) => (error: unknown) =>
  error instanceof StorageFailure && error.code === 'unavailable' && error.message.includes(`this one is process ${pid} too`) && /podman exec .*--init/.test(error.message);

/** Takes a moment of the store, as process 1 of a container of its own, keeps it until its input ends, and says what came of it. */
const READER = `
  const { openSnapshot } = await import(${JSON.stringify(new URL('../snapshot.js', import.meta.url).href)});
  const snapshot = await openSnapshot(process.argv[1]).catch((cause) => console.log(process.pid + ' ' + cause.name + ' ' + cause.message));
  if (snapshot === undefined) process.exit();
  console.log(process.pid + ' revision ' + snapshot.revision);
  process.stdin.resume().once('end', () => snapshot.close());
`;
const inContainer = (program: string, ...given: readonly string[]): ChildProcess =>
  spawn('unshare', [...FIRST_PROCESS, process.execPath, '--input-type=module', '-e', program, ...given], { stdio: ['pipe', 'pipe', 'inherit'] });
const told = async (child: ChildProcess): Promise<string> => String(((await once(child.stdout!, 'data')) as [Buffer])[0]).trim();

/** An owner that is alive, with the id of this process in another world; what it is asked. */
async function fakeOwner(context: TestContext, folder: string): Promise<readonly string[]> {
  const asked: string[] = [];
  const owner = createServer((socket) => {
    onFrames<MemberRequest>(socket, ({ message: { ask } }) => {
      asked.push(ask);
      sendFrame(socket, { message: { tell: 'held' } });
    });
  }).listen(join(folder, 'owner-0'));
  context.after(() => owner.close());
  await once(owner, 'listening');
  await writeFile(join(folder, 'owner.json'), JSON.stringify({ id: 'other', pid: process.pid, started: '', world: `not ${world()}`, socket: 'owner-0', isShared: true }));
  return asked;
}

describe('a process with the id of another one, in another container', () => {
  after(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

  it('is told so where that one writes to the store, which is asked for nothing', async (context) => {
    const folder = await makeFolder();
    await (await openIn(folder)).close();
    const asked = await fakeOwner(context, folder);
    await assert.rejects(openSnapshot(folder), isNamesake(process.pid));
    await assert.rejects(driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock: systemClock, log: () => {} }), isNamesake(process.pid));
    assert.deepEqual(asked, []);
  });

  it('is told so where that one only reads, and can read when it has ended', { skip: NO_NAMESPACES }, async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const first = inContainer(READER, folder);
    assert.equal(await told(first), '1 revision 1');
    assert.match(await told(inContainer(READER, folder)), /^1 StorageFailure process 1 of another container has the store .* open/);
    assert.deepEqual(await engine.commit({ key: '/a', expect: 0, value: Buffer.from('x') }), { done: true, revision: 2 });
    first.stdin!.end();
    await once(first, 'exit');
    const third = inContainer(READER, folder);
    assert.equal(await told(third), '1 revision 2');
    // The first process of the namespace: what it leaves of its reading belongs to nobody.
    process.kill(Number(await readFile(`/proc/${third.pid}/task/${third.pid}/children`, 'utf8')), 'SIGKILL');
    await once(third, 'exit');
    const fourth = inContainer(READER, folder);
    assert.equal(await told(fourth), '1 revision 2');
    fourth.stdin!.end();
    await once(fourth, 'exit');
    await engine.close();
  });
});

/** Opens the store as the process that writes, says so, and lets others open it until it is ended. */
const WRITER = `
  const { driver } = await import(${JSON.stringify(new URL('../index.js', import.meta.url).href)});
  const clock = { nowMs: Date.now, after: () => () => {} };
  await driver.open({ location: process.argv[1], historySeconds: 300, isShared: true, clock, log: () => {} });
  console.log('open');
  setInterval(() => {}, 1000);
`;

describe('a process that has the file open itself', () => {
  after(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

  it('is no namesake to one that began to write after that', async (context) => {
    const folder = await makeFolder();
    await (await openIn(folder)).close();
    const early = await openSnapshot(folder);
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    context.after(() => writer.kill('SIGKILL'));
    assert.equal(await told(writer), 'open');
    const late = await openSnapshot(folder);
    await early.close();
    const open = () => driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock: systemClock, log: () => {} });
    await assert.rejects(open(), /already open in this process$/);
    await late.close();
    const engine = await open();
    assert.deepEqual(await engine.commit({ key: '/a', expect: 0, value: Buffer.from('x') }), { done: true, revision: 2 });
    await engine.close();
  });
});

describe('processes of one id', () => {
  const here = world();

  it('are told apart by their worlds, for as long as the first has the file open', () => {
    const known = new Namesakes();
    assert.equal(known.admit(process.pid, here, new Set([process.pid])), true);
    assert.equal(known.admit(process.pid, 'a', new Set([process.pid])), false);
    const other = process.pid + 1;
    assert.equal(known.admit(other, 'a', new Set([process.pid])), true);
    assert.equal(known.admit(other, 'b', new Set([process.pid, other])), false);
    assert.equal(known.admit(other, 'a', new Set([process.pid, other])), true);
    assert.equal(known.admit(other, 'b', new Set([process.pid])), true);
    assert.equal(known.admit(other, 'a', new Set([process.pid, other])), false);
  });

  it('are not told apart where the first opened the file while another process wrote, and then the second is kept out', () => {
    const known = new Namesakes();
    const other = process.pid + 1;
    assert.equal(known.admit(other, 'a', new Set([process.pid, other])), false);
    known.note(other, 'a');
    assert.equal(known.admit(other, 'a', new Set([process.pid, other])), true);
  });
});
