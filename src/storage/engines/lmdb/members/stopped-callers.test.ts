import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { deferred, StillClock, systemClock } from '#base';
import { StorageFailure } from '../../../storage-failure.ts';
import { HELD_LONG_MS, MAX_UNREAD_BYTES } from '../limits.ts';
import type { MemberRequest, WriterMessage } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';
import { Members, type MembersOptions, type Writer } from './members.ts';

interface Line {
  readonly members: Members;
  /** Where the process that writes is called. */
  readonly path: string;
  /** The two ends of the line. */
  readonly caller: Socket;
  readonly called: Socket;
  readonly logged: readonly string[];
}

/** Somebody who has called the process that writes. */
async function openLine(
  context: TestContext,
  { head = () => 1, readers = () => [], hold = async () => () => {}, compact = async () => {}, clock = systemClock, isShared = true }: Partial<Pick<MembersOptions, 'head' | 'readers' | 'clock' | 'isShared'> & Pick<Writer, 'hold' | 'compact'>>,
): Promise<Line> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-members-'));
  const logged: string[] = [];
  // It is not asked to write.
  const writer = { hold, compact, commitFor: assert.fail } as unknown as Writer;
  const members = new Members({ writer, clock, isShared, head, readers, log: (message) => void logged.push(message) });
  const server = createServer((socket) => members.accept(socket)).listen(join(folder, 'line'));
  await once(server, 'listening');
  const caller = connect(join(folder, 'line'));
  const [called] = (await once(server, 'connection')) as [Socket];
  context.after(async () => {
    caller.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return { members, path: join(folder, 'line'), caller, called, logged };
}

/** How many timers keep this process from ending. */
const timersSet = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;

test('a member that reads nothing costs a bound, and hears how far the file has come, and comes, when it reads again', async (context) => {
  let head = 1;
  const groups = 100_000;
  const { members, caller, called } = await openLine(context, { head: () => head });
  const welcomed = deferred<void>();
  const caughtUp = deferred<void>();
  const goesOn = deferred<void>();
  const heard: number[] = [];
  onFrames<WriterMessage>(caller, ({ message }) => {
    if (message.tell !== 'head') return;
    heard.push(message.head);
    welcomed.resolve();
    if (message.head === 1 + groups) caughtUp.resolve();
    if (message.head === 2 + groups) goesOn.resolve();
  });
  sendFrame(caller, { message: { ask: 'join' } });
  await welcomed.promise;
  caller.pause();
  for (let group = 0; group < groups; group++) members.sendHead(++head);
  assert.ok(called.writableLength < MAX_UNREAD_BYTES * 2, `${called.writableLength} bytes wait for it`);
  caller.resume();
  await caughtUp.promise;
  members.sendHead(++head);
  await goesOn.promise;
  assert.deepEqual(heard, heard.toSorted((a, b) => a - b));
  assert.ok(heard.length < groups);
});

test('when writes wait long for a process that opens the store, somebody is told which one it is, and they go on when it has gone', async (context) => {
  let isHeld = false;
  const clock = new StillClock();
  const { caller, called, logged } = await openLine(context, {
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
  const gone = once(called, 'close');
  caller.destroy();
  await gone;
  assert.equal(isHeld, false);
});

test('nobody is told of a process that has opened the store in time', async (context) => {
  const clock = new StillClock();
  const { caller, logged } = await openLine(context, { clock });
  let answered = deferred<void>();
  onFrames<WriterMessage>(caller, () => answered.resolve());
  for (const ask of ['hold', 'join'] as const) {
    answered = deferred();
    sendFrame(caller, { message: { ask, pid: 4711 } });
    await answered.promise;
  }
  clock.turn(HELD_LONG_MS);
  assert.deepEqual([logged, clock.pending], [[], 0]);
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

for (const asks of [['hold', 'hold'], ['hold', 'join'], ['join', 'hold', 'hold', 'hold']] as const) {
  test(`writes wait for the last thing alone that a process has asked for, and go on when it has gone: ${asks.join(', ')}`, async (context) => {
    for (const inOnePiece of [true, false]) {
      const holds = new Set<object>();
      const { caller, called } = await openLine(context, {
        async hold() {
          const one = {};
          holds.add(one);
          return () => void holds.delete(one);
        },
      });
      const answers = { hold: 'held', join: 'head' } as const;
      let answered = deferred<void>();
      let last: string | undefined;
      onFrames<WriterMessage>(caller, ({ message }) => void (message.tell === last && answered.resolve()));
      for (const [i, ask] of asks.entries()) {
        answered = deferred<void>();
        last = answers[ask];
        sendFrame(caller, { message: { ask, pid: 4711 } });
        if (!inOnePiece || i === asks.length - 1) await answered.promise;
      }
      assert.equal(holds.size, asks.at(-1) === 'hold' ? 1 : 0);
      const gone = once(called, 'close');
      caller.destroy();
      await gone;
      assert.equal(holds.size, 0);
    }
  });
}

test('who only opens the store is not told how far the file has come: it waits for the one thing that it has asked for', async (context) => {
  const { members, caller } = await openLine(context, {});
  const heard: string[] = [];
  let answered = deferred<void>();
  onFrames<WriterMessage>(caller, ({ message: { tell } }) => {
    heard.push(tell);
    answered.resolve();
  });
  sendFrame(caller, { message: { ask: 'hold', pid: 4711 } });
  await answered.promise;
  members.sendHead(2);
  answered = deferred();
  sendFrame(caller, { message: { ask: 'hold', pid: 4711 } });
  await answered.promise;
  assert.deepEqual(heard, ['held', 'held']);
});

test('a process that hangs keeps the one that writes from ending for a time only, in which nobody else is let in and nothing is written', async (context) => {
  const { members, path, caller } = await openLine(context, {});
  const heard: WriterMessage[] = [];
  const [welcomed, refused] = [deferred<void>(), deferred<void>()];
  onFrames<WriterMessage>(caller, ({ message }) => {
    heard.push(message);
    if (message.tell === 'head') welcomed.resolve();
    if (message.tell === 'going' && message.id !== undefined) refused.resolve();
  });
  sendFrame(caller, { message: { ask: 'join' } });
  await welcomed.promise;
  const gone = once(caller, 'close');
  const left = members.disconnectAll();
  sendFrame(caller, { message: { ask: 'commit', id: 7, key: '/a', expect: 0 } });
  await refused.promise;
  const late = connect(path);
  const heardLate: WriterMessage[] = [];
  onFrames<WriterMessage>(late, ({ message }) => void heardLate.push(message));
  sendFrame(late, { message: { ask: 'hold', pid: 4711 } });
  await new Promise((resolve) => late.once('close', resolve));
  await left;
  await gone;
  assert.deepEqual(heardLate, []);
  assert.deepEqual(heard, [{ tell: 'head', head: 1 }, { tell: 'going' }, { tell: 'going', id: 7 }]);
});

test('who ends a process that is leaving its store already waits for the same members, as long as the first one does', async (context) => {
  const { members, caller } = await openLine(context, {});
  const [welcomed, told] = [deferred<void>(), deferred<void>()];
  const heard: WriterMessage[] = [];
  onFrames<WriterMessage>(caller, ({ message }) => {
    heard.push(message);
    (message.tell === 'head' ? welcomed : told).resolve();
  });
  sendFrame(caller, { message: { ask: 'join' } });
  await welcomed.promise;
  const timers = timersSet();
  const left = [members.disconnectAll(), members.disconnectAll()];
  await told.promise;
  caller.end();
  await Promise.all(left);
  await members.disconnectAll();
  assert.deepEqual(heard, [{ tell: 'head', head: 1 }, { tell: 'going' }]);
  assert.equal(timersSet(), timers, 'nothing keeps it from ending');
});

test('who sends something else than messages is cut off', async (context) => {
  const { caller } = await openLine(context, {});
  caller.write(Buffer.alloc(100, 0xff));
  await once(caller.resume(), 'close');
});

test('a member that has something forgotten is told when that is done, or why it is not', async (context) => {
  const [compacted, refused, done] = [deferred<void>(), deferred<void>(), deferred<void>()];
  const why = new StorageFailure('compacted', 'revision 2 is no longer kept', { revision: 4 });
  const { caller } = await openLine(context, { compact: (before) => (before === 5 ? compacted.promise : Promise.reject(before === 2 ? why : new TypeError('a fault'))) });
  const heard: WriterMessage[] = [];
  onFrames<WriterMessage>(caller, ({ message }) => {
    heard.push(message);
    if ('id' in message && message.id === 3) refused.resolve();
    if (message.tell === 'done') done.resolve();
  });
  sendFrame(caller, { message: { ask: 'join' } });
  for (const [at, before] of [5, 2, 9].entries()) sendFrame(caller, { message: { ask: 'compact', id: at + 1, before } });
  await refused.promise;
  const failures: readonly WriterMessage[] = [
    { tell: 'failed', id: 2, code: 'compacted', message: why.message, revision: 4 },
    { tell: 'failed', id: 3, code: 'unavailable', message: 'TypeError: a fault' },
  ];
  assert.deepEqual(heard, [{ tell: 'head', head: 1 }, ...failures]);
  compacted.resolve();
  await done.promise;
  assert.deepEqual(heard.at(-1), { tell: 'done', id: 1, revision: 5 });
});

test('who would join a store that is not shared, or one whose writing process is about to end, is cut off', async (context) => {
  const alone = await openLine(context, { isShared: false });
  const refused = once(alone.caller.resume(), 'close');
  sendFrame(alone.caller, { message: { ask: 'join' } });
  await refused;
  const { members, caller } = await openLine(context, {});
  const held = deferred<void>();
  const heard: string[] = [];
  onFrames<WriterMessage>(caller, ({ message: { tell } }) => {
    heard.push(tell);
    held.resolve();
  });
  sendFrame(caller, { message: { ask: 'hold', pid: 4711 } });
  await held.promise;
  const left = members.disconnectAll();
  sendFrame(caller, { message: { ask: 'join' } });
  await Promise.all([once(caller, 'close'), left]);
  assert.deepEqual(heard, ['held', 'going']);
});

test('who has not joined does not write', async (context) => {
  const { caller } = await openLine(context, {});
  sendFrame(caller, { message: { ask: 'commit', id: 1, key: '/a', expect: 0 } });
  await once(caller.resume(), 'close');
});

test('where the file cannot be read any more, callers are cut off, and the process that writes goes on', async (context) => {
  const unreadable = (): never => {
    throw new Error('the disk is gone');
  };
  const early = await openLine(context, { head: unreadable });
  sendFrame(early.caller, { message: { ask: 'join' } });
  await once(early.caller.resume(), 'close');
  const unknown = await openLine(context, { readers: unreadable });
  sendFrame(unknown.caller, { message: { ask: 'hold', pid: 4711, world: 'w' } });
  await once(unknown.caller.resume(), 'close');
  let head: () => number = () => 1;
  const late = await openLine(context, { head: () => head() });
  const welcomed = deferred<void>();
  const stop = onFrames<WriterMessage>(late.caller, () => welcomed.resolve());
  sendFrame(late.caller, { message: { ask: 'join' } });
  await welcomed.promise;
  stop();
  late.caller.pause();
  for (let group = 2; group < 100_000; group++) late.members.sendHead(group);
  head = unreadable;
  await once(late.caller.resume(), 'close');
});
