import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import { disposal } from './disposal.ts';

for (const [world, symbols] of [
  ['with the symbol', { for: Symbol.for, asyncDispose: Symbol.asyncDispose }],
  ['without the symbol', { for: Symbol.for }],
] as const) {
  test(`what ends with a block made in a world ${world} ends in each world, and has no other members`, () => {
    const close = async (): Promise<void> => {};
    const made = (vm.runInNewContext(`(${disposal.toString()})`, { Symbol: symbols }) as typeof disposal)(close);
    const expected = [Symbol.for('Symbol.asyncDispose'), ...Object.values(symbols).filter((value) => typeof value === 'symbol')];
    assert.deepEqual(new Set(Reflect.ownKeys(made)), new Set(expected));
    for (const key of expected) assert.equal((made as Record<symbol, unknown>)[key], close);
  });
}
