import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { encodeFrame } from './frames.ts';
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
});
