import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '#base';
import { usedMib } from '#test-support';
import { pathOf } from '../fieldpath/path.ts';
import { equalSets, setOf } from '../fieldpath/set.ts';
import { compare, without } from './compare.ts';
import type { Structure } from './structure-form.ts';

const ANYTHING: Structure = { is: 'deduced' };

test('changes of one shape share one answer, and what was made of it', () => {
  const one = compare(ANYTHING, { a: 1, b: { c: 1 } }, { a: 2, b: { c: 1, d: 1 } });
  const two = compare(ANYTHING, { a: 'x', b: { c: 5 } }, { a: 'y', b: { c: 5, d: 7 } });
  assert.equal(two, one);
  const reset = setOf(pathOf('a'));
  assert.equal(without(two, reset), without(one, reset));
  assert.ok(equalSets(one.modified, setOf(pathOf('a'))));
  assert.ok(equalSets(one.added, setOf(pathOf('b', 'd'))));
  assert.ok(equalSets(without(one, reset).modified, setOf()));
});

test('what looks alike and is not has answers of its own', () => {
  const changed = compare(ANYTHING, { a: { b: 1 } }, { a: { b: 2 } });
  const added = compare(ANYTHING, { a: {} }, { a: { b: 2 } });
  const removed = compare(ANYTHING, { a: { b: 1 } }, { a: {} });
  const beside = compare(ANYTHING, { a: 1, b: 1 }, { a: 1, b: 2 });
  assert.ok(equalSets(changed.modified, setOf(pathOf('a', 'b'))));
  assert.ok(equalSets(added.added, setOf(pathOf('a', 'b'))));
  assert.equal(added.modified.size, 0);
  assert.ok(equalSets(removed.removed, setOf(pathOf('a', 'b'))));
  assert.ok(equalSets(beside.modified, setOf(pathOf('b'))));
});

test('answers stay right beyond what is remembered', () => {
  for (let n = 0; n < 12_000; n++) {
    const { added, modified, removed } = compare(ANYTHING, { same: 1, [`old-${n}`]: 1 }, { same: 2, [`new-${n}`]: 1 });
    assert.ok(equalSets(added, setOf(pathOf(`new-${n}`))));
    assert.ok(equalSets(modified, setOf(pathOf('same'))));
    assert.ok(equalSets(removed, setOf(pathOf(`old-${n}`))));
  }
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`m${n}`, n]));
  assert.equal(compare(ANYTHING, {}, wide).added.size, 500);
});

test('long names are not remembered', () => {
  const name = 'n'.repeat(1_000);
  const one = compare(ANYTHING, {}, { a: 1, [name]: 1, z: 1 });
  assert.notEqual(compare(ANYTHING, {}, { a: 1, [name]: 1, z: 1 }), one);
  assert.ok(equalSets(one.added, setOf(pathOf('a'), pathOf(name), pathOf('z'))));
});

test('what is remembered keeps nothing of the bodies it came with', async () => {
  const padding = 'x'.repeat(1_000_000);
  const beforeMib = await usedMib();
  for (let n = 0; n < 100; n++) {
    // The number beyond 2^53 takes the reader that cuts texts out of the body.
    const body = `{"pad":"${padding}","big":12345678901234567890,"set":["a-value-of-some-length-${n}"]}`;
    compare({ is: 'set' }, [], (parseJson(Buffer.from(body)) as { set: string[] }).set);
  }
  const grownMib = (await usedMib()) - beforeMib;
  assert.ok(grownMib < 20, `${grownMib} MiB more`);
});
