import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { test } from 'node:test';
import type { Outlet, Reply } from '#request';
import { askOn, ca, openHttp2, textReply, withListener } from './test-support.ts';

const limits = { probeAfterMs: 50 };

const frame = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** The beginning of a session: its preface, settings by which windows are as large as they can be, and one request. */
const BEGINNING = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame('000006 04 00 00000000 0004 7fffffff'),
  frame('000004 08 00 00000000 7fff0000'),
  frame('00000e 01 05 00000001 828784 4109'),
  Buffer.from('localhost'),
]);

/** A client that asks once and is not heard of again. */
async function vanishing(port: number): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  socket.on('error', () => {}).write(BEGINNING);
  return socket;
}

const MEGABYTE = new Uint8Array(1024 * 1024);

for (const [how, megabytes] of [['while nothing is sent to it', 0], ['while it takes nothing of what is sent', 32]] as const) {
  test(`a session whose client has vanished ${how} is closed, and what was asked on it hears of it`, { timeout: 30_000 }, async () => {
    let left = (): void => {};
    const hasLeft = new Promise<void>((resolve) => (left = resolve));
    const stream = async (out: Outlet): Promise<void> => {
      out.signal.addEventListener('abort', left);
      for (let sent = 0; sent < megabytes && !out.signal.aborted; sent++) if (!out.write(MEGABYTE)) await out.drained();
      await hasLeft;
    };
    await withListener(async (): Promise<Reply> => ({ status: 200, headers: {}, mayPause: true, stream }), { limits }, async (listener) => {
      const socket = await vanishing(listener.port);
      await hasLeft;
      // It does not wait for the client.
      await listener.close({ graceMs: 60_000 });
      socket.destroy();
    });
  });
}

test('a session whose client answers stays, however long nothing else comes from it', { timeout: 30_000 }, async () => {
  let answer = (): void => {};
  const handle = (): Promise<Reply> => new Promise((resolve) => (answer = () => resolve(textReply('late'))));
  await withListener(handle, { limits }, async ({ port }) => {
    const session = openHttp2(port);
    const asked = askOn(session);
    for (let pings = 0; pings < 3; pings++) await once(session, 'ping');
    answer();
    assert.equal((await asked).body.toString(), 'late');
    session.close();
  });
});
