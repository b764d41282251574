import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readBody } from './read-body.ts';

const LISTENED = ['data', 'end', 'close', 'error'];

test('nobody listens to a body any more when it is whole, when it is too large, or when its sender has left', async () => {
  const outcomes: [string, (source: PassThrough) => unknown][] = [
    ['whole', (source) => source.end('abc')],
    ['too large', (source) => source.write('abcd')],
    ['left', (source) => source.destroy()],
  ];
  for (const [outcome, send] of outcomes) {
    const source = new PassThrough({ autoDestroy: false });
    const listeners = (): number[] => LISTENED.map((event) => source.listenerCount(event));
    const before = listeners();
    const body = readBody(source, { limit: 3, declaredLength: undefined });
    send(source);
    const said = await body.then(String, ({ message }: Error) => message);
    assert.match(said, { whole: /^abc$/, 'too large': /too large: limit is 3$/, left: /broke off/ }[outcome] as RegExp);
    assert.deepEqual(listeners(), before, outcome);
  }
});

test('who asks for a body after its sender has left is told so', async () => {
  const source = new PassThrough().destroy();
  await once(source, 'close');
  await assert.rejects(readBody(source, { limit: 3, declaredLength: undefined }), /broke off/);
});

test('a body that ended before anybody asked for it is empty', async () => {
  const source = new PassThrough().end().resume();
  await once(source, 'end');
  assert.equal((await readBody(source, { limit: 3, declaredLength: undefined })).length, 0);
});

test('a body that is said to be too large is refused before it comes, and one that is said to be as large as allowed is read', async () => {
  await assert.rejects(readBody(new PassThrough(), { limit: 3, declaredLength: '4' }), /too large: limit is 3$/);
  for (const declaredLength of ['3', undefined]) assert.equal(String(await readBody(new PassThrough().end('abc'), { limit: 3, declaredLength })), 'abc');
});

test('a body that never ends is given up where its source leaves the time to the reader', { timeout: 30_000 }, async () => {
  const source = new PassThrough();
  source.write('a');
  const read = readBody(source, { limit: 3, declaredLength: undefined, timeoutMs: 1 });
  // The timer alone does not keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  try {
    await assert.rejects(read, /did not arrive in time/);
  } finally {
    clearInterval(alive);
  }
});
