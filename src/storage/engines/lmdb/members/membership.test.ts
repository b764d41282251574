import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { deferred, nextTurn, StillClock } from '#base';
import type { Commit } from '../../../engine.ts';
import { HELD_LONG_MS } from '../limits.ts';
import { encodeFrame, type MemberRequest } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';
import { Membership, WriterLeaving } from './membership.ts';

/** A connection to somebody who does `called` with it. */
async function connected(context: TestContext, called: (socket: Socket) => void): Promise<Socket> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-membership-'));
  const server = createServer({ allowHalfOpen: true }, called).listen(join(folder, 'owner'));
  context.after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  await once(server, 'listening');
  const socket = connect(join(folder, 'owner'));
  await once(socket, 'connect');
  return socket;
}

const joined = (socket: Socket): Promise<Membership | undefined> => Membership.join(socket, { head: () => {}, found: () => undefined, lost: () => {} });

describe('a membership', { timeout: 20_000 }, () => {
  it('does not begin over a connection that has ended before', async (context) => {
    const socket = await connected(context, (called) => void called.end());
    await once(socket.resume(), 'close');
    assert.equal(await joined(socket), undefined);
  });

  it('does not begin where the connection breaks in the moment in which it is accepted', async (context) => {
    const head = encodeFrame({ message: { tell: 'head', head: 1 } });
    const socket = await connected(context, (called) => void called.write(Buffer.concat([...head, Buffer.alloc(100, 0xff)])));
    assert.equal(await joined(socket), undefined);
  });

  it('tells of a write that fails whether it may have been done', async (context) => {
    const failed = { tell: 'failed', id: 1, code: 'unavailable', message: 'the disk failed', isUnconfirmed: true } as const;
    const answers = [{ tell: 'head', head: 1 }, failed] as const;
    const socket = await connected(context, (called) => {
      let asked = 0;
      called.on('data', () => sendFrame(called, { message: answers[asked++]! }));
    });
    const membership = await joined(socket);
    await assert.rejects(membership!.commit({ key: '/a', expect: 0 }), { message: failed.message, isUnconfirmed: true });
    const timersSet = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    const timers = timersSet();
    await membership!.close();
    assert.deepEqual([socket.destroyed, timersSet()], [true, timers], 'nothing keeps this process from ending');
  });

  it('asks nothing more of one that is about to go, hears what that one still answers, and then lets it go, or tells that it stays', async (context) => {
    const heard: string[] = [];
    const left = deferred<Socket>();
    const socket = await connected(context, (called) => {
      called.on('end', () => left.resolve(called));
      const answer = async (): Promise<void> => {
        sendFrame(called, { message: { tell: 'going', id: 2 } });
        for (let turn = 0; turn < 100; turn++) await nextTurn();
        heard.push(called.readableEnded ? 'end' : 'nothing more');
        sendFrame(called, { message: { tell: 'done', id: 1, revision: 2 } });
      };
      onFrames<MemberRequest>(called, ({ message }) => {
        heard.push(message.ask);
        if (message.ask === 'join') sendFrame(called, { message: { tell: 'head', head: 1 } });
        else if ('id' in message && message.id === 2) void answer();
      });
    });
    const clock = new StillClock();
    let silent = 0;
    const membership = await Membership.join(socket, { head: () => {}, found: () => undefined, lost: () => {}, silent: () => void silent++, clock });
    const commit = (): Promise<Commit> => membership!.commit({ key: '/a', expect: 0 });
    const [first, second] = [commit(), commit()];
    await assert.rejects(second, WriterLeaving);
    await assert.rejects(commit(), WriterLeaving);
    assert.deepEqual(await first, { done: true, revision: 2 });
    const called = await left.promise;
    const leaving = await commit().catch((cause: unknown) => cause);
    assert.ok(leaving instanceof WriterLeaving);
    assert.deepEqual(heard, ['join', 'commit', 'commit', 'nothing more']);
    for (let time = 0; time < 3; time++) clock.turn(HELD_LONG_MS);
    assert.equal(silent, 1);
    called.destroy();
    await leaving.gone;
    await assert.rejects(commit(), WriterLeaving);
    clock.turn(HELD_LONG_MS);
    assert.deepEqual([clock.pending, silent], [0, 1]);
  });

  for (const writes of [0, 1]) {
    it(`does not keep a process that has nothing else to do and waits for no answer: after ${writes} writes`, async (context) => {
      const folder = await mkdtemp(join(tmpdir(), 'orch-membership-'));
      const server = createServer((called) => {
        context.after(() => called.destroy());
        onFrames<MemberRequest>(called, ({ message }) => sendFrame(called, { message: 'id' in message ? { tell: 'done', id: message.id, revision: 2 } : { tell: 'head', head: 1 } }));
      }).listen(join(folder, 'owner'));
      context.after(async () => {
        server.close();
        await rm(folder, { recursive: true });
      });
      await once(server, 'listening');
      const program = `
        const { connect } = await import('node:net');
        const { Membership } = await import(${JSON.stringify(new URL('./membership.js', import.meta.url).href)});
        const membership = await Membership.join(connect(process.argv[1]), { head() {}, found() {}, lost() {} });
        for (let n = 0; n < ${writes}; n++) await membership.commit({ key: '/a', expect: 0 });
      `;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, join(folder, 'owner')], { stdio: ['ignore', 'inherit', 'inherit'] });
      context.after(() => child.kill('SIGKILL'));
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });
  }

  it('keeps a process that has nothing else to do until the one has gone that was about to', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-membership-'));
    context.after(() => rm(folder, { recursive: true }));
    const module = (name: string): string => JSON.stringify(new URL(`./${name}.js`, import.meta.url).href);
    const program = `
      const { connect, createServer } = await import('node:net');
      const { Membership } = await import(${module('membership')});
      const { sendFrame } = await import(${module('frame-socket')});
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        socket.unref();
        for (const message of [{ tell: 'head', head: 1 }, { tell: 'going' }]) sendFrame(socket, { message });
        setTimeout(() => socket.destroy(), 50).unref();
      }).listen(process.argv[1]);
      await new Promise((listening) => server.once('listening', listening));
      server.unref();
      const membership = await Membership.join(connect(process.argv[1]), { head() {}, found() {}, lost() {} });
      await membership.commit({ key: '/a', expect: 0 }).catch(({ gone }) => gone);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, join(folder, 'owner')], { stdio: ['ignore', 'inherit', 'inherit'] });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
