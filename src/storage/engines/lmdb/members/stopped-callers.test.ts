import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { deferred, StillClock, systemClock, type Clock } from '#base';
import { HELD_LONG_MS, MAX_UNREAD_BYTES } from '../limits.ts';
import type { MemberRequest, WriterMessage } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';
import { Members, type Writer } from './members.ts';

interface Line {
  readonly members: Members;
  /** The two ends of the line. */
  readonly caller: Socket;
  readonly called: Socket;
  readonly logged: readonly string[];
}

/** Somebody who has called the process that writes. */
async function openLine(
  context: TestContext,
  { head = () => 1, hold = async () => () => {}, clock = systemClock }: { head?: () => number; hold?: Writer['hold']; clock?: Clock },
): Promise<Line> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-members-'));
  const logged: string[] = [];
  const writer = { hold } as unknown as Writer;
  const members = new Members({ writer, clock, isShared: true, head, readers: () => [], log: (message) => void logged.push(message) });
  const server = createServer((socket) => members.accept(socket)).listen(join(folder, 'line'));
  await once(server, 'listening');
  const caller = connect(join(folder, 'line'));
  const [called] = (await once(server, 'connection')) as [Socket];
  context.after(async () => {
    caller.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return { members, caller, called, logged };
}

test('a member that reads nothing costs a bound, and hears how far the file has come when it reads again', async (context) => {
  let head = 1;
  const { members, caller, called } = await openLine(context, { head: () => head });
  const welcomed = deferred<void>();
  const caughtUp = deferred<void>();
  const heard: number[] = [];
  onFrames<WriterMessage>(caller, ({ message }) => {
    if (message.tell !== 'head') return;
    heard.push(message.head);
    welcomed.resolve();
    if (message.head === head) caughtUp.resolve();
  });
  sendFrame(caller, { message: { ask: 'join' } });
  await welcomed.promise;
  caller.pause();
  const groups = 100_000;
  for (let group = 0; group < groups; group++) members.sendHead(++head);
  assert.ok(called.writableLength < MAX_UNREAD_BYTES * 2, `${called.writableLength} bytes wait for it`);
  caller.resume();
  await caughtUp.promise;
  assert.deepEqual(heard, heard.toSorted((a, b) => a - b));
  assert.ok(heard.length < groups);
});

test('when writes wait long for a process that opens the store, somebody is told which one it is', async (context) => {
  let isHeld = false;
  const clock = new StillClock();
  const { caller, logged } = await openLine(context, {
    clock,
    async hold() {
      isHeld = true;
      return () => (isHeld = false);
    },
  });
  const held = deferred<void>();
  onFrames<WriterMessage>(caller, ({ message }) => void (message.tell === 'held' && held.resolve()));
  const ask: MemberRequest = { ask: 'hold', pid: 4711 };
  sendFrame(caller, { message: ask });
  await held.promise;
  clock.turn(HELD_LONG_MS - 1);
  assert.deepEqual([logged.length, isHeld], [0, true]);
  clock.turn(1);
  assert.match(logged.join('\n'), /process 4711/);
  assert.equal(isHeld, true);
});

test('writes go on when a process has gone before it was told that they wait for it', async (context) => {
  const [asked, held, letGo] = [deferred<void>(), deferred<void>(), deferred<void>()];
  const clock = new StillClock();
  const { caller, called, logged } = await openLine(context, {
    clock,
    async hold() {
      asked.resolve();
      await held.promise;
      return letGo.resolve;
    },
  });
  const gone = once(called, 'close');
  sendFrame(caller, { message: { ask: 'hold', pid: 4711 } });
  await asked.promise;
  caller.destroy();
  await gone;
  held.resolve();
  await letGo.promise;
  clock.turn(HELD_LONG_MS);
  assert.deepEqual(logged, []);
});
