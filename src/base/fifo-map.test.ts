import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FifoMap } from './fifo-map.ts';

test('entries are taken in the order in which their keys came, like from a list', () => {
  const map = new FifoMap<number, string>();
  let list: [number, string][] = [];
  let random = 1;
  const draw = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
  for (let step = 0; step < 20_000; step++) {
    const choice = draw(100);
    const key = draw(300);
    if (choice < 55) {
      const known = list.find(([one]) => one === key);
      if (known === undefined) list.push([key, `${step}`]);
      else known[1] = `${step}`;
      map.set(key, `${step}`);
    } else if (choice < 99) assert.deepEqual(map.take(), list.shift());
    else {
      list = [];
      map.clear();
    }
    assert.equal(map.size, list.length);
    assert.equal(map.has(key), list.some(([one]) => one === key));
  }
  while (list.length > 0) assert.deepEqual(map.take(), list.shift());
  assert.equal(map.take(), undefined);
});
