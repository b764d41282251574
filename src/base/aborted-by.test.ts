import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { usedMib } from '#test-support';
import { abortedBy } from './aborted-by.ts';

test('aborts with the first of its signals, for the reason that this one has', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const own = abortedBy(one.signal, undefined, two.signal);
  assert.equal(own.signal.aborted, false);
  two.abort('two');
  one.abort('one');
  assert.equal(own.signal.reason, 'two');
});

test('is aborted already where a signal is', () => {
  const other = new AbortController();
  const own = abortedBy(other.signal, AbortSignal.abort('before'));
  assert.deepEqual([own.signal.aborted, own.signal.reason, other.signal.aborted], [true, 'before', false]);
});

test('its own end is nobody else\'s', () => {
  const [other, neighbour] = [new AbortController(), new AbortController()];
  const [first, second] = [abortedBy(other.signal, neighbour.signal), abortedBy(other.signal)];
  first.abort();
  assert.deepEqual([other.signal.aborted, neighbour.signal.aborted, second.signal.aborted], [false, false, false]);
  other.abort();
  assert.equal(second.signal.aborted, true);
});

test('a signal has one listener for all that follow it, and remembers none that is over', async () => {
  const lasting = new AbortController();
  const beforeMib = await usedMib();
  for (let n = 0; n < 50_000; n++) abortedBy(lasting.signal).abort();
  const grownMib = (await usedMib()) - beforeMib;
  assert.equal(getEventListeners(lasting.signal, 'abort').length, 1);
  assert.ok(grownMib < 2, `${grownMib} MiB more`);
});
