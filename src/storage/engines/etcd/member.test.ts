import assert from 'node:assert/strict';
import { promises as dns } from 'node:dns';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { deferred } from '#base';
import { Member } from './member.ts';
import { noTls } from './trust.ts';

test('a client that does not get on with its connection is replaced by one that begins anew', async (t) => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  let lookups = 0;
  t.mock.method(dns, 'lookup', () => (lookups++ === 0 ? deferred().promise : Promise.resolve([{ address: '127.0.0.1', family: 4 }])));
  const member = new Member(`etcd.test:${(server.address() as AddressInfo).port}`, noTls, 0);
  t.after(() => member.close());
  const connected = once(server, 'connection');
  const stuck = member.client;
  await assert.rejects(member.becomesReady(10));
  assert.notEqual(member.client, stuck);
  assert.equal(member.isReady, false);
  await connected;
});

test('a client that is connecting for a while only is not replaced', async (t) => {
  t.mock.method(dns, 'lookup', () => deferred().promise);
  const member = new Member('etcd.test:1', noTls, 60_000);
  t.after(() => member.close());
  const { client } = member;
  await assert.rejects(member.becomesReady(10));
  assert.equal(member.client, client);
});

test('whoever waits for a member until it refuses connections does not wait longer', { timeout: 20_000 }, async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const member = new Member(`127.0.0.1:${port}`, noTls);
  t.after(() => member.close());
  await assert.rejects(member.becomesReady(60_000, true), /takes no connection/);
  assert.equal(member.isRefused, true);
});
