import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { StillClock } from '#base';
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

const IS_TOLD = /^still waiting for process 4711, which writes to the store \S+orch\.mdb and does not answer: continue it or end it$/;

/** Time goes by: only when it has become long somebody is told, once. */
function waitLong(clock: StillClock, told: string[]): void {
  clock.turn(HELD_LONG_MS - 1);
  assert.deepEqual(told, []);
  clock.turn(1);
  clock.turn(60 * HELD_LONG_MS);
  assert.equal(told.length, 1);
  assert.match(told.splice(0).join(), IS_TOLD);
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
  const reading = driver.maintenance!.snapshot(folder, { clock, stop: stop.signal, tell: (message) => void told.push(message) });
  const { socket } = await asked();
  waitLong(clock, told);
  const gone = once(socket, 'close');
  stop.abort(new Error('no longer wanted'));
  await assert.rejects(reading, /no longer wanted/);
  await gone;
  // Nothing is left of it that would keep others from the store.
  const again = driver.maintenance!.snapshot(folder);
  sendFrame((await asked()).socket, { message: { tell: 'held' } });
  await (await again).close();
});
