import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { Server, ServerCredentials, status, type sendUnaryData } from '@grpc/grpc-js';
import { SetClock } from '#base';
import { Cluster, NO_KEY } from './cluster.ts';
import { range } from './methods.ts';

/** An answer of cluster 1 at revision 9. */
const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);
const same = (bytes: Buffer): Buffer => bytes;

/** A member that is asked nothing but ranges. */
async function memberAt(t: TestContext, address: string, answer: (done: sendUnaryData<Buffer>) => void): Promise<{ readonly address: string; readonly close: () => void }> {
  const member = new Server();
  const close = (): void => member.forceShutdown();
  t.after(close);
  const method = { path: range.path, requestStream: false, responseStream: false, requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
  member.addService({ range: method }, { range: (_call: unknown, done: sendUnaryData<Buffer>) => answer(done) });
  const port = await new Promise<number>((resolve) => member.bindAsync(address, ServerCredentials.createInsecure(), (_error, bound) => resolve(bound)));
  return { address: `127.0.0.1:${port}`, close };
}

function clusterOf(t: TestContext, ...members: readonly string[]): Cluster {
  const cluster = new Cluster({ members, root: '/', compactionMs: 0 }, { log: () => {}, clock: new SetClock() });
  t.after(() => cluster.close());
  return cluster;
}

test('a member that takes connections and never speaks has no turn while another one is connected', async (t) => {
  const silent = createServer((socket) => t.after(() => socket.destroy())).listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  let asked = 0;
  const member = await memberAt(t, '127.0.0.1:0', (done) => (asked++ === 0 ? done({ code: status.UNAVAILABLE }) : done(null, AT_NINE)));
  const cluster = clusterOf(t, member.address, `127.0.0.1:${(silent.address() as AddressInfo).port}`);
  // Less time than the other one would have for its connection.
  const { revision } = await cluster.read(range, { key: NO_KEY, countOnly: true }, performance.now() + 1_500);
  assert.deepEqual([revision, asked], [9, 2]);
});

test('a member that has not answered a write is not sent the next one before another was connected to, whose connection broke meanwhile', async (t) => {
  const silence = { asked: 0 };
  const silent = await memberAt(t, '127.0.0.1:0', (done) => {
    if (silence.asked++ === 0) done({ code: status.UNAVAILABLE });
  });
  const before = await memberAt(t, '127.0.0.1:0', (done) => done(null, AT_NINE));
  const cluster = clusterOf(t, silent.address, before.address);
  const send = (withinMs: number): Promise<unknown> => cluster.write(range, { key: NO_KEY, countOnly: true }, performance.now() + withinMs);
  await assert.rejects(send(5_000));
  await send(5_000);
  before.close();
  await memberAt(t, before.address, (done) => done(null, AT_NINE));
  // Of the two this one alone is connected now.
  while (silence.asked < 2) await assert.rejects(send(300));
  await send(1_500);
  assert.equal(silence.asked, 2);
});
