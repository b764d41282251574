import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { make } from '../../../test-support.ts';
import { Arrivals } from './arrivals.ts';

/** A clock that rings when told to. */
function bell(): { readonly clock: ConstructorParameters<typeof Arrivals>[0]; ring(): void; readonly pending: () => number } {
  const set = new Set<() => void>();
  const after = (_ms: number, run: () => void): (() => void) => (set.add(run), () => void set.delete(run));
  return { clock: { nowMs: () => 0, after }, ring: () => set.forEach((run) => run()), pending: () => set.size };
}

const account = (namespace: string, name = 'default'): ApiObject => make('ServiceAccount', name, {}, { namespace });
const forever = new AbortController().signal;

test('a pod waits for the default account of its namespace, and for no other', async () => {
  const { clock, pending } = bell();
  const arrivals = new Arrivals(clock);
  const there: string[] = [];
  const looks: unknown[] = [];
  const look = async (): Promise<string | undefined> => (looks.push(there[0]), there[0]);
  const both = Promise.all([arrivals.next('n', look, forever), arrivals.next('n', look, forever)]);
  arrivals.put(account('other'));
  arrivals.put(account('n', 'robot'));
  await new Promise(setImmediate);
  assert.deepEqual(looks, [undefined, undefined]);
  there.push('account');
  arrivals.put(account('n'));
  assert.deepEqual(await both, ['account', 'account']);
  assert.equal(pending(), 0);
});

test('what came while it was looked for is found without waiting', async () => {
  const { clock, pending } = bell();
  assert.equal(await new Arrivals(clock).next('n', async () => 'account', forever), 'account');
  assert.equal(pending(), 0);
});

test('nobody waits for ever, nor for those who are gone', async () => {
  const { clock, ring, pending } = bell();
  const arrivals = new Arrivals(clock);
  const nothing = async (): Promise<undefined> => undefined;
  const tired = arrivals.next('n', nothing, forever);
  ring();
  assert.equal(await tired, undefined);
  const gone = new AbortController();
  const left = arrivals.next('n', nothing, gone.signal);
  await new Promise(setImmediate);
  gone.abort();
  assert.equal(await left, undefined);
  assert.equal(await arrivals.next('n', nothing, gone.signal), undefined);
  assert.equal(pending(), 0);
});
