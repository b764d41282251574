import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quantityMisfit } from './misfits.ts';
import { addQuantities, compareQuantities, formatQuantity, negateQuantity, parseQuantity, quantityRatio, quantityScalar, roundUpQuantityText, type Quantity } from './quantity.ts';

const parsed = (text: string): Quantity => {
  const amount = parseQuantity(text);
  assert.ok(amount !== undefined, text);
  return amount;
};

const CANONICAL: readonly (readonly [written: string | number | bigint, canonical: string])[] = [
  ['0', '0'],
  ['0Mi', '0'],
  ['0.000', '0'],
  ['-0', '0'],
  ['1000m', '1'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['1.5', '1500m'],
  ['0.0001', '100u'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['1000', '1k'],
  ['1500', '1500'],
  ['1024', '1024'],
  ['512Ki', '512Ki'],
  ['0.5Ki', '512'],
  ['2048', '2048'],
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['1000e3', '1e6'],
  ['12e-1', '1200e-3'],
  ['0.1n', '1n'],
  ['-0.1n', '-1n'],
  ['1.0000000001', '1000000001n'],
  ['16Ei', '9223372036854775807'],
  ['-16Ei', '-9223372036854775807'],
  ['5E', '5E'],
  ['1000E', '1e21'],
  [' 7 ', '7'],
  [7, '7'],
  [0.5, '500m'],
  [1e21, '1e21'],
  [9007199254740993n, '9007199254740993'],
  ['100', '100'],
  ['-5Gi', '-5Gi'],
  ['1.5Ei', '1536Pi'],
];

for (const [written, canonical] of CANONICAL) {
  test(`RX-15 ${JSON.stringify(String(written))} is written ${canonical}`, () => {
    assert.equal(quantityScalar.read(written), canonical);
  });
}

for (const text of ['', 'abc', '1.2.3', '1 Gi', '1gi', '1KI', '1e', '1e5x', '1e99999', 'e', '--1', '0x10', '1'.repeat(2_000)]) {
  test(`${JSON.stringify(text.slice(0, 12))} is no quantity`, () => {
    assert.equal(parseQuantity(text), undefined);
    assert.equal(quantityScalar.read(text), undefined);
  });
}

test('what is wrong with a long text is found in one look at it', () => {
  assert.match(quantityMisfit(`${'1'.repeat(1_000_000)}!`), /^quantities must match/);
  assert.equal(quantityMisfit(`${'1'.repeat(1_000_000)}mm`), "unable to parse quantity's suffix");
});

for (const text of ['1.5-2', '1-', '5.-', 'Mi-1', '1e']) {
  test(`the form of ${text} is that of a quantity, its suffix is not`, () => {
    assert.equal(quantityMisfit(text), "unable to parse quantity's suffix");
    assert.equal(parseQuantity(text), undefined);
  });
}

for (const text of ['Pi', 'Ei', '+Ei', '-.Pi', 'e-10']) {
  test(`RX-15 ${text} has no number before its suffix`, () => {
    assert.equal(parseQuantity(text), undefined);
    assert.equal(quantityMisfit(text), 'unable to parse numeric part of quantity');
  });
}

test('RX-15 a suffix alone that is neither very large nor very fine is zero', () => {
  for (const text of ['Ti', 'Ki', 'm', 'n', 'E', 'e-9', 'e5', '.', '-', '0Ei', '.0Pi', '0e-10']) assert.equal(quantityScalar.read(text), '0', text);
});

test('values that are neither texts nor numbers are no quantities', () => {
  for (const value of [true, {}, [], Number.NaN, Number.POSITIVE_INFINITY]) assert.equal(quantityScalar.read(value), undefined);
});

test('comparison goes by amount, not by form', () => {
  assert.equal(compareQuantities(parsed('1Gi'), parsed('1024Mi')), 0);
  assert.equal(compareQuantities(parsed('1'), parsed('1000m')), 0);
  assert.ok(compareQuantities(parsed('1G'), parsed('1Gi')) < 0);
  assert.ok(compareQuantities(parsed('-1'), parsed('-2')) > 0);
});

test('a ratio is that of whole numbers, however small the unit', () => {
  for (let base = 1; base <= 200; base++) {
    for (let times = 1; times <= 20; times++) assert.equal(quantityRatio(parsed(`${base * times}m`), parsed(`${base}m`)), times);
  }
  assert.equal(quantityRatio(parsed('1Ki'), parsed('512m')), 2_000);
  assert.equal(quantityRatio(parsed('1'), parsed('0')), Infinity);
});

test('sums are exact and keep the form of the first that is not zero', () => {
  assert.equal(formatQuantity(addQuantities(parsed('0'), parsed('512Mi'))), '512Mi');
  assert.equal(formatQuantity(addQuantities(parsed('512Mi'), parsed('512Mi'))), '1Gi');
  assert.equal(formatQuantity(addQuantities(parsed('100m'), parsed('0.9'))), '1');
  assert.equal(formatQuantity(addQuantities(parsed('1Gi'), negateQuantity(parsed('1Gi')))), '0');
});

test('rounding to thousandths goes away from zero and leaves coarser texts alone', () => {
  assert.equal(roundUpQuantityText('0.0001', -3), '1m');
  assert.equal(roundUpQuantityText('100u', -3), '1m');
  assert.equal(roundUpQuantityText('-100u', -3), '-1m');
  assert.equal(roundUpQuantityText('250m', -3), '250m');
  assert.equal(roundUpQuantityText('nonsense', -3), 'nonsense');
});

const texts = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.bigInt(0n, 10n ** 20n), fc.option(fc.stringMatching(/^[0-9]{0,12}$/), { nil: undefined }), fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-2', 'E7'))
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${suffix}`);

test('the canonical text is read back as itself and as the same amount', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const amount = parsed(text);
      const canonical = formatQuantity(amount);
      assert.equal(compareQuantities(parsed(canonical), amount), 0);
      assert.equal(formatQuantity(parsed(canonical)), canonical);
    }),
  );
});

test('short texts, which are read without arithmetic, come out as arithmetic would have them', () => {
  const suffixes = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei');
  const numbers = fc.oneof(fc.nat(2_000), fc.nat(10 ** 9), fc.nat(99).map((n) => n * 1000));
  fc.assert(
    fc.property(numbers, suffixes, (number, suffix) => {
      assert.equal(quantityScalar.read(`${number}${suffix}`), formatQuantity(parsed(`${number}${suffix}`)));
    }),
    { numRuns: 1_000 },
  );
});
