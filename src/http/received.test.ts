import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDurationMs } from '#base';
import { headerMap } from './header-map.ts';
import { exchange } from './in-process.ts';
import { RequestSource } from './received.ts';
import { formatWarning, Warnings } from './warnings.ts';
import { textReply } from './test-support.ts';

const TARGETS: readonly (readonly [string, string, string])[] = [
  ['/', '/', ''],
  ['/a?b=1', '/a', 'b=1'],
  ['/a?b=1?c', '/a', 'b=1%3Fc'],
  ['http://host/a?b=1', '/a', 'b=1'],
  ['http://host', '/', ''],
  ['http://host?b=/1', '/', 'b=%2F1'],
  ['*', '/*', ''],
  ['', '/', ''],
  ['?a=http://b/c', '/', 'a=http%3A%2F%2Fb%2Fc'],
  ['//x/y', '//x/y', ''],
];

test('targets of every form become a path that begins with a slash', async () => {
  for (const [target, path, query] of TARGETS) {
    await exchange((received) => {
      assert.deepEqual([received.path, received.query.toString()], [path, query], target);
      return Promise.resolve(textReply('ok'));
    }, { path: target }).then((answer) => assert.equal(answer.status, 200, target));
  }
});

test('what stages add stays one object, and derived objects still reach the request', async () => {
  const answer = await exchange(async (received) => {
    const derived = Object.create(received, { info: { value: 1 } }) as typeof received;
    derived.warn('from afar');
    assert.equal(derived.signal, received.signal);
    assert.equal(derived.id, received.id);
    assert.equal(await derived.body(10), await received.body(10));
    return textReply('ok');
  }, { path: '/', body: 'abc' });
  assert.deepEqual(answer.warnings, ['299 - "from afar"']);
});

test('an annotation stands as it was first said: nobody behind can unsay it', async () => {
  await exchange((received) => {
    const derived = Object.create(received) as typeof received;
    received.annotate('decision', 'forbid');
    derived.annotate('decision', 'allow');
    derived.annotate('reason', 'none');
    assert.deepEqual(Object.fromEntries(received.annotations), { decision: 'forbid', reason: 'none' });
    return Promise.resolve(textReply('ok'));
  }, { path: '/' }).then(({ status }) => assert.equal(status, 200));
});

test('who looks only after the client has gone is told so as well', () => {
  class Gone extends RequestSource {
    readonly rawHeaders = [];
    readonly isGone = true;
    protected readBody = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array());
    onGone = (): void => assert.fail('it has gone already');
  }
  assert.equal(new Gone().signal.aborted, true);
});

test('headers: lower-case names, repeated values in order, names like __proto__ are plain data', () => {
  const map = headerMap([':authority', 'h', 'A', '1', '__proto__', 'x', 'a', '2']);
  assert.deepEqual([...map], [['a', ['1', '2']], ['__proto__', ['x']], ['host', ['h']]]);
});

test('R6-30 R6-31 warnings: quoted, control characters gone, other scripts as bytes', () => {
  assert.equal(formatWarning('a "b" \\ c\r\nd'), '299 - "a \\"b\\" \\\\ c  d"');
  assert.equal(Buffer.from(formatWarning('é'), 'latin1').toString('utf8'), '299 - "é"');
});

test('warnings are bounded: all of them are shortened, none where they are few', () => {
  const one = new Warnings();
  one.add('x'.repeat(4_000));
  assert.deepEqual(one.headerValues(), [`299 - "${'x'.repeat(4_000)}"`]);
  const many = new Warnings();
  for (let n = 0; n < 1_000; n += 1) many.add(`${n} ${'x'.repeat(1_000)}`);
  const total = many.headerValues().join('').length;
  assert.ok(total > 1_000 && total < 5_000, String(total));
});

const DURATIONS: readonly (readonly [string, number | undefined])[] = [
  ['30s', 30_000], ['1h15m', 4_500_000], ['1.5s', 1_500], ['.5s', 500], ['0', 0], ['-1s', -1_000], ['100us', 0.1],
  ['', undefined], ['5', undefined], ['s', undefined], ['1x', undefined], ['1s ', undefined], ['-', undefined], ['9'.repeat(100) + 's', undefined],
  ['2562047h47m16.854775807s', 9_223_372_036_854.775], ['2562047h47m17s', undefined], ['-9999999999h', undefined], ['2562047h2562047h', undefined],
];

test('durations', () => {
  for (const [text, expected] of DURATIONS) assert.equal(parseDurationMs(text), expected, text);
});
