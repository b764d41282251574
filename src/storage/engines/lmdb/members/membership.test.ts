import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { encodeFrame } from './frames.ts';
import { sendFrame } from './frame-socket.ts';
import { Membership } from './membership.ts';

/** A connection to somebody who does `called` with it. */
async function connected(context: TestContext, called: (socket: Socket) => void): Promise<Socket> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-membership-'));
  const server = createServer(called).listen(join(folder, 'owner'));
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
    socket.destroy();
  });

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
