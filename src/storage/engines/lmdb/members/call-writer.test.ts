import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { StillClock, type Clock } from '#base';
import type { Commit, Engine } from '../../../engine.ts';
import { HISTORY_SECONDS } from '../../../engine-suite.ts';
import { HELD_LONG_MS } from '../limits.ts';
import { LongWait } from '../long-wait.ts';
import { driver } from '../index.ts';
import { OpenLock } from '../open-lock.ts';
import { readOwner, type Owner } from '../owner.ts';
import { openIn } from '../test-support.ts';
import type { MemberRequest, WriterMessage } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';
import { openWhileWritesHeld } from './open-while-writes-held.ts';

interface Asked {
  readonly socket: Socket;
  readonly ask: MemberRequest['ask'];
}

/** A store whose writing process, 4711, answers nothing by itself; `asked` is what it is asked next. */
async function storeOfSlowProcess(context: TestContext): Promise<{ readonly folder: string; readonly owner: Server; readonly asked: () => Promise<Asked> }> {
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
  return { folder, owner, asked };
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
  const outcome = assert.rejects(engine.commit({ key: '/a', expect: 0, value: Buffer.from('x') }), { message: /it is not known whether it wrote this/, isUnconfirmed: true });
  assert.equal((await asked()).ask, 'commit');
  first.socket.destroy();
  assert.equal((await asked()).ask, 'join');
  waitLong(clock, told);
  await engine.close();
  await outcome;
  assert.deepEqual(told, []);
});

test('who is left by the process that writes while it opens the file begins to write itself', { timeout: 20_000 }, async (context) => {
  const { folder, owner, asked } = await storeOfSlowProcess(context);
  const opening = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock: new StillClock(), log: () => {} });
  const { socket } = await asked();
  sendFrame(socket, { message: { tell: 'held' } });
  owner.close();
  socket.end();
  const engine = await opening;
  assert.deepEqual(await engine.commit({ key: '/a', expect: 0, value: Buffer.from('x') }), { done: true, revision: 2 });
  await engine.close();
});

test('who has opened the file has kept the one that writes from it until then, and hears of the connection no longer', { timeout: 20_000 }, async (context) => {
  const { folder, asked } = await storeOfSlowProcess(context);
  const lock = OpenLock.open(folder);
  let opened = 0;
  const opening = openWhileWritesHeld({ path: folder, lock }, readOwner(folder) as Owner, () => void opened++, new LongWait({ clock: new StillClock() }));
  const { socket: called } = await asked();
  assert.equal(opened, 0);
  sendFrame(called, { message: { tell: 'held' } });
  const socket = (await opening)!;
  assert.deepEqual([opened, socket.destroyed, socket.listenerCount('data'), socket.listenerCount('close')], [1, false, 0, 0]);
  socket.destroy();
  await lock.close();
});

test('who cannot open the file, or is left, or finds that another process writes by then, keeps nobody from writing', { timeout: 20_000 }, async (context) => {
  const { folder, asked } = await storeOfSlowProcess(context);
  const lock = OpenLock.open(folder);
  const owner = readOwner(folder) as Owner;
  const open = (): never => {
    throw new Error('the file is damaged');
  };
  const cases = [
    { tell: 'held', writes: owner, outcome: 'Error: the file is damaged' },
    { tell: 'going', writes: owner, outcome: undefined },
    { tell: 'held', writes: { ...owner, id: 'next' }, outcome: undefined },
  ] as const;
  for (const { tell, writes, outcome } of cases) {
    const opening = openWhileWritesHeld({ path: folder, lock }, owner, open, new LongWait({ clock: new StillClock() }));
    const { socket } = await asked();
    await writeFile(join(folder, 'owner.json'), JSON.stringify(writes));
    const goesOn = once(socket, 'close');
    sendFrame(socket, { message: { tell } });
    assert.equal(await opening.catch(String), outcome);
    await goesOn;
  }
  await lock.close();
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

/** A clock that stands still, and says when somebody begins to wait by it. */
function waitedFor(): { readonly clock: StillClock; readonly seen: Clock; readonly begun: () => Promise<void> } {
  const clock = new StillClock();
  let begin = (): void => {};
  const after = (delayMs: number, run: () => void): (() => void) => {
    begin();
    return clock.after(delayMs, run);
  };
  return { clock, seen: { nowMs: () => clock.nowMs(), after }, begun: () => new Promise((resolve) => (begin = resolve)) };
}

test('who cannot reach the process that writes is told why, and goes on when that has ended, or stops', { timeout: 30_000 }, async (context) => {
  const { folder, asked, owner } = await storeOfSlowProcess(context);
  const { clock, seen, begun } = waitedFor();
  const told: string[] = [];
  const isTold = (): void => {
    clock.turn(HELD_LONG_MS - 1);
    assert.deepEqual(told, []);
    for (let time = 0; time < 60; time++) clock.turn(HELD_LONG_MS);
    assert.match(told.splice(0).join('\n'), /^still waiting: process 4711, which writes to the store \S+orch\.mdb, cannot be reached by \S+owner-0 \(ELOOP\): see to it [^\n]+$/);
  };
  const tell = (message: string): void => void told.push(message);
  const open = (): Promise<Engine> => driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock: seen, log: tell });
  // A member that loses it, and is closed while it looks for the next one.
  const joined = open();
  sendFrame((await asked()).socket, { message: { tell: 'held' } });
  const { socket } = await asked();
  sendFrame(socket, { message: { tell: 'head', head: 1 } });
  const engine = await joined;
  // A member alone keeps no process alive.
  const other = setInterval(() => {}, 1_000);
  context.after(() => clearInterval(other));
  owner.close();
  await symlink('owner-0', join(folder, 'owner-0'));
  let waiting = begun();
  socket.destroy();
  await waiting;
  isTold();
  await engine.close();
  // Who reads, and stops.
  const stop = new AbortController();
  waiting = begun();
  const reading = assert.rejects(driver.maintenance!.snapshot(folder, { clock: seen, tell, stop: stop.signal }), /no longer wanted/);
  await waiting;
  isTold();
  stop.abort(new Error('no longer wanted'));
  await reading;
  // Who opens it, until it has ended.
  waiting = begun();
  const opening = open();
  await waiting;
  isTold();
  await rm(join(folder, 'owner-0'));
  await (await opening).close();
  assert.deepEqual(told, []);
});

test('who is let in by no process that writes, again and again, is told so', { timeout: 30_000 }, async (context) => {
  const { folder, asked } = await storeOfSlowProcess(context);
  const [clock, told] = [new StillClock(), [] as string[]];
  const opening = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock, log: (message) => void told.push(message) });
  // Neither before it has opened the file, nor behind that.
  for (const [ask, answer] of [['hold', { tell: 'held' }], ['join', { tell: 'head', head: 1 }]] as const) {
    const turns = 10;
    for (let turn = 0; turn < turns; turn++) {
      const request = await asked();
      assert.equal(request.ask, ask);
      assert.deepEqual(told, []);
      clock.turn(HELD_LONG_MS / turns);
      request.socket.destroy();
    }
    assert.match(told.splice(0).join('\n'), /^still waiting: process 4711, which writes to the store [^\n]+$/);
    sendFrame((await asked()).socket, { message: answer });
  }
  await (await opening).close();
  assert.deepEqual(told, []);
});

test('who waits for a write until the process that writes has ended is told when that takes long', async (context) => {
  const { folder, asked, owner } = await storeOfSlowProcess(context);
  const [clock, told] = [new StillClock(), [] as string[]];
  const opening = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock, log: (message) => void told.push(message) });
  sendFrame((await asked()).socket, { message: { tell: 'held' } });
  const { socket } = await asked();
  // It is suspended before it hears that the other side has taken leave.
  socket.allowHalfOpen = true;
  sendFrame(socket, { message: { tell: 'head', head: 1 } });
  const engine = await opening;
  context.after(() => engine.close());
  const commit = (key: string): Promise<Commit> => engine.commit({ key, expect: 0, value: Buffer.from('x') });
  const first = commit('/a');
  await asked();
  const parting = once(socket, 'end');
  sendFrame(socket, { message: { tell: 'going', id: 1 } });
  await parting;
  const second = commit('/b');
  waitLong(clock, told, 'nothing is written');
  owner.close();
  socket.destroy();
  assert.deepEqual((await Promise.all([first, second])).map(({ done }) => done), [true, true]);
  for (let time = 0; time < 3; time++) clock.turn(HELD_LONG_MS);
  assert.deepEqual(told, []);
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
