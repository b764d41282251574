import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { joinConnections } from './tunnel.ts';

/** A connection that is busy while it writes, and could send all that waits at once. `sent` is what went out together. */
function slowConnection(): { readonly connection: Duplex; readonly sent: string[] } {
  const sent: string[] = [];
  const send = (text: string, done: () => void): void => {
    sent.push(text);
    setImmediate(done);
  };
  const connection = new Duplex({
    read() {},
    write: (chunk: Buffer, _encoding, done) => send(chunk.toString(), done),
    writev: (chunks, done) => send(chunks.map(({ chunk }) => String(chunk)).join('+'), done),
  });
  return { connection, sent };
}

test('what was read apart is written apart, though it waits together, and all before the end', async () => {
  const [one, other] = [slowConnection(), slowConnection()];
  one.connection.write('head');
  const joined = joinConnections(one.connection, other.connection);
  for (const message of ['a', 'b', 'c']) other.connection.push(message);
  for (const message of ['d', 'e']) one.connection.push(message);
  other.connection.push(null);
  await joined;
  assert.deepEqual([one.sent, other.sent], [['head', 'a', 'b', 'c'], ['d', 'e']]);
});

test('what was read from a connection that breaks is still written', async () => {
  const [one, other] = [slowConnection(), slowConnection()];
  const joined = joinConnections(one.connection, other.connection);
  other.connection.once('data', () => setImmediate(() => other.connection.destroy(new Error('reset'))));
  for (const message of ['a', 'b', 'c']) other.connection.push(message);
  await joined;
  assert.deepEqual(one.sent, ['a', 'b', 'c']);
});

test('a connection that can no longer be written to ends the other', async () => {
  const [one, other] = [slowConnection(), slowConnection()];
  const joined = joinConnections(one.connection, other.connection);
  one.connection.destroy(new Error('reset'));
  other.connection.push('a');
  await joined;
  assert.ok(other.connection.destroyed);
});

test('a connection that has closed before it is joined ends the other', async () => {
  for (const isFirst of [true, false]) {
    const [closed, open] = [slowConnection(), slowConnection()];
    closed.connection.destroy();
    await once(closed.connection, 'close');
    await (isFirst ? joinConnections(closed.connection, open.connection) : joinConnections(open.connection, closed.connection));
    assert.ok(open.connection.destroyed);
  }
});
