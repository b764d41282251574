import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Server, ServerCredentials, status, type sendUnaryData } from '@grpc/grpc-js';
import { SetClock } from '#base';
import { Cluster, NO_KEY } from './cluster.ts';
import { range } from './methods.ts';

/** An answer of cluster 1 at revision 9. */
const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);
const same = (bytes: Buffer): Buffer => bytes;

test('a member that takes connections and never speaks has no turn while another one is connected', async (t) => {
  const silent = createServer((socket) => t.after(() => socket.destroy())).listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const member = new Server();
  t.after(() => member.forceShutdown());
  let asked = 0;
  const method = { path: range.path, requestStream: false, responseStream: false, requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
  member.addService({ range: method }, {
    range: (_call: unknown, done: sendUnaryData<Buffer>) => (asked++ === 0 ? done({ code: status.UNAVAILABLE }) : done(null, AT_NINE)),
  });
  const port = await new Promise<number>((resolve) => member.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, bound) => resolve(bound)));
  const cluster = new Cluster({ members: [`127.0.0.1:${port}`, `127.0.0.1:${(silent.address() as AddressInfo).port}`], root: '/', compactionMs: 0 }, { log: () => {}, clock: new SetClock() });
  t.after(() => cluster.close());
  // Less time than the other one would have for its connection.
  const { revision } = await cluster.read(range, { key: NO_KEY, countOnly: true }, performance.now() + 1_500);
  assert.deepEqual([revision, asked], [9, 2]);
});
