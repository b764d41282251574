import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '#base';
import type { AuditEvent } from './event.ts';
import { createLogSink } from './log-sink.ts';

/** A target whose writes are ended by hand, and a sink that writes to it; what is written there is the id of each event. */
function open() {
  const done: string[] = [];
  const writes: { readonly ids: string; readonly end: (failure?: Error) => void }[] = [];
  const target = {
    append(text: string): Promise<void> {
      const { promise, resolve, reject } = deferred<void>();
      const ids = text.trimEnd().split('\n').map((line) => (JSON.parse(line) as AuditEvent).auditID).join('');
      const end = (failure?: Error): void => (failure === undefined ? resolve() : reject(failure));
      writes.push({ ids, end });
      return promise;
    },
    close: async () => void done.push('closed'),
  };
  const sink = createLogSink(target, 'json');
  const deliver = (ids: string): Promise<void> =>
    sink.deliver([...ids].map((auditID) => ({ auditID }) as AuditEvent)).then(() => void done.push(ids), (failure: Error) => void done.push(`${ids}: ${failure.message}`));
  const nextWrite = async (): Promise<(typeof writes)[number]> => {
    await new Promise(setImmediate);
    assert.equal(writes.length, 1, 'one write at a time');
    return writes.splice(0)[0] as (typeof writes)[number];
  };
  return { sink, done, deliver, nextWrite };
}

test('events that come during a write leave together in the next one, in order, and each is delivered when it is written', async () => {
  const { done, deliver, nextWrite } = open();
  const first = deliver('a');
  const one = await nextWrite();
  const others = [deliver('b'), deliver('cd')];
  assert.equal(one.ids, 'a');
  one.end();
  await first;
  const two = await nextWrite();
  assert.deepEqual([two.ids, done], ['bcd', ['a']]);
  const last = deliver('e');
  two.end();
  await Promise.all(others);
  assert.deepEqual(done, ['a', 'b', 'cd']);
  const three = await nextWrite();
  assert.equal(three.ids, 'e');
  three.end();
  await last;
});

test('a write that fails fails for its own events alone: the next one goes its way', async () => {
  const { done, deliver, nextWrite } = open();
  const first = deliver('a');
  const one = await nextWrite();
  const second = deliver('b');
  one.end(new Error('full'));
  await first;
  const two = await nextWrite();
  assert.equal(two.ids, 'b');
  two.end();
  await second;
  assert.deepEqual(done, ['a: full', 'b']);
});

test('the target is closed behind the last write, also one that fails', async () => {
  for (const failure of [undefined, new Error('full')]) {
    const { sink, done, deliver, nextWrite } = open();
    void deliver('a');
    const write = await nextWrite();
    const closed = sink.close();
    await new Promise(setImmediate);
    assert.deepEqual(done, []);
    write.end(failure);
    await closed;
    assert.deepEqual(done, [failure === undefined ? 'a' : 'a: full', 'closed']);
  }
});
