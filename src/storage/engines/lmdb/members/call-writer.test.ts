import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { StillClock } from '#base';
import type { Commit } from '../../../engine.ts';
import { HISTORY_SECONDS } from '../../../engine-suite.ts';
import { HELD_LONG_MS } from '../limits.ts';
import { driver } from '../index.ts';
import { openIn } from '../test-support.ts';
import type { MemberRequest, WriterMessage } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';

interface Asked {
  readonly socket: Socket;
  readonly ask: MemberRequest['ask'];
}

/** A store whose writing process, 4711, answers nothing by itself; `asked` is what it is asked next. */
async function storeOfSlowProcess(context: TestContext): Promise<{ readonly folder: string; readonly asked: () => Promise<Asked> }> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-slow-'));
  await (await openIn(folder)).close();
  const requests: Asked[] = [];
  let wake = (): void => {};
  const owner = createServer((socket) => {
    context.after(() => socket.destroy());
    onFrames<MemberRequest>(socket, ({ message: { ask } }) => {
      requests.push({ socket, ask });
      wake();
    });
  }).listen(join(folder, 'owner-0'));
  context.after(async () => {
    owner.close();
    await rm(folder, { recursive: true });
  });
  await once(owner, 'listening');
  await writeFile(join(folder, 'owner.json'), JSON.stringify({ id: 'slow', pid: 4711, started: '', world: '', socket: 'owner-0', isShared: true }));
  const asked = async (): Promise<Asked> => {
    while (requests.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return requests.shift() as Asked;
  };
  return { folder, asked };
}

/** Time goes by: only when it has become long somebody is told, once. */
function waitLong(clock: StillClock, told: string[], what = 'still waiting'): void {
  clock.turn(HELD_LONG_MS - 1);
  assert.equal(told.length, 0, told[0]);
  clock.turn(1);
  for (let time = 0; time < 60; time++) clock.turn(HELD_LONG_MS);
  assert.deepEqual(told.splice(0).map((line) => line.replace(/store \S+orch\.mdb,/, 'store …,')), [`${what}: process 4711, which writes to the store …, does not answer: continue it or end it`]);
}

test('who opens a store whose writing process does not answer is told which one it is, at each thing that it is asked for, and goes on when it does', async (context) => {
  const { folder, asked } = await storeOfSlowProcess(context);
  const [clock, told] = [new StillClock(), [] as string[]];
  const opening = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock, log: (message) => void told.push(message) });
  const answers: readonly (readonly [MemberRequest['ask'], WriterMessage])[] = [['hold', { tell: 'held' }], ['join', { tell: 'head', head: 1 }]];
  for (const [ask, message] of answers) {
    const request = await asked();
    assert.equal(request.ask, ask);
    waitLong(clock, told);
    sendFrame(request.socket, { message });
  }
  const engine = await opening;
  clock.turn(60 * HELD_LONG_MS);
  assert.deepEqual(told, []);
  await engine.close();
});

test('who joins the process that writes anew is told of it as well, and knows nothing of a write that the one before was asked for', async (context) => {
  const { folder, asked } = await storeOfSlowProcess(context);
  const [clock, told] = [new StillClock(), [] as string[]];
  const opening = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock, log: (message) => void told.push(message) });
  sendFrame((await asked()).socket, { message: { tell: 'held' } });
  const first = await asked();
  sendFrame(first.socket, { message: { tell: 'head', head: 1 } });
  const engine = await opening;
  const outcome = assert.rejects(engine.commit({ key: '/a', expect: 0, value: Buffer.from('x') }), /it is not known whether it wrote this/);
  assert.equal((await asked()).ask, 'commit');
  first.socket.destroy();
  assert.equal((await asked()).ask, 'join');
  waitLong(clock, told);
  await engine.close();
  await outcome;
  assert.deepEqual(told, []);
});

test('who reads a store beside a writing process that does not answer is told so, and can stop', { timeout: 30_000 }, async (context) => {
  const { folder, asked } = await storeOfSlowProcess(context);
  const [clock, told, stop] = [new StillClock(), [] as string[], new AbortController()];
  const lasting = new AbortController().signal;
  const reading = driver.maintenance!.snapshot(folder, { clock, stop: stop.signal, tell: (message) => void told.push(message) });
  const { socket } = await asked();
  waitLong(clock, told);
  const gone = once(socket, 'close');
  stop.abort(new Error('no longer wanted'));
  await assert.rejects(reading, /no longer wanted/);
  await gone;
  // Nothing is left of it that would keep others from the store.
  const again = driver.maintenance!.snapshot(folder, { stop: lasting });
  sendFrame((await asked()).socket, { message: { tell: 'held' } });
  await (await again).close();
  assert.equal(getEventListeners(lasting, 'abort').length, 0);
});

test('who waits for a write is told when nothing is heard of the process that writes, and again when that happens again', async (context) => {
  const { folder, asked } = await storeOfSlowProcess(context);
  const [clock, told] = [new StillClock(), [] as string[]];
  const opening = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock, log: (message) => void told.push(message) });
  sendFrame((await asked()).socket, { message: { tell: 'held' } });
  const { socket } = await asked();
  sendFrame(socket, { message: { tell: 'head', head: 1 } });
  const engine = await opening;
  const commit = (): Promise<Commit> => engine.commit({ key: '/a', expect: 1, value: Buffer.from('x') });
  for (const id of [1, 2]) {
    const refused = commit();
    await asked();
    waitLong(clock, told, 'nothing is written');
    sendFrame(socket, { message: { tell: 'lost', id, found: 0 } });
    await refused;
    for (let time = 0; time < 3; time++) clock.turn(HELD_LONG_MS);
    assert.equal(told.length, 0, 'it is asked for nothing');
  }
  // One that answers, but never before it is asked for more, is busy.
  let last = commit();
  for (let id = 3; id < 13; id++) {
    const next = commit();
    await asked();
    clock.turn(HELD_LONG_MS - 1);
    sendFrame(socket, { message: { tell: 'lost', id, found: 0 } });
    await last;
    last = next;
  }
  await asked();
  assert.equal(told.length, 0, told[0]);
  for (let time = 0; time < 2; time++) clock.turn(HELD_LONG_MS);
  assert.equal(told.length, 1, 'now it is silent');
  sendFrame(socket, { message: { tell: 'lost', id: 13, found: 0 } });
  await last;
  await engine.close();
});
