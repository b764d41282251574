import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonSyntaxError, parseJsonText, WholeFloat } from './json-parser.ts';
import { jsonText, parseJson, parseWholeFloats, parseWrittenJson, stringifyJson } from './json-text.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const parse = (text: string): unknown => parseJson(bytes(text));

/** 2^53 and beyond come as bigint even where a double would do. */
const withoutBigint = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? Number(one) : Object.is(one, -0) ? '-0' : one)), (_key, one: unknown) =>
    one === '-0' ? -0 : one,
  );

test('both parsers agree with JSON.parse on every JSON value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.boolean(), (text, isSpaced) => {
      const spaced = isSpaced ? JSON.stringify(JSON.parse(text), null, '\t') : text;
      const expected = JSON.parse(spaced) as unknown;
      assert.deepEqual(withoutBigint(parse(spaced)), expected);
      assert.deepEqual(withoutBigint(parseJsonText(spaced)), expected);
    }),
  );
});

test('both parsers refuse what JSON.parse refuses', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[[\]{}",:0-9.eEtrufalsn\\ -]{0,12}$/), (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (isJson) assert.deepEqual(parse(text), parseJsonText(text));
      else {
        assert.throws(() => parse(text), JsonSyntaxError);
        assert.throws(() => parseJsonText(text), JsonSyntaxError);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('R2.10-29 RX-15 whole numbers beyond 2^53 are exact, written and read', () => {
  const text = '{"a":[9007199254740993,-9223372036854775808,9223372036854775807],"b":"1234567890123456789"}';
  const value = parse(text);
  assert.deepEqual(value, { a: [9007199254740993n, -9223372036854775808n, 9223372036854775807n], b: '1234567890123456789' });
  assert.equal(jsonText(value), text);
});

test('numbers that fit no 64-bit integer are doubles, as are fractions', () => {
  assert.deepEqual(parse('[9223372036854775808, 1e20, 0.1234567890123456, 1000000000000000]'), [2 ** 63, 1e20, 0.1234567890123456, 1e15]);
});

test('whole numbers that are written with a fraction are told from integers', () => {
  const marked = (text: string): unknown => parseWholeFloats(bytes(text));
  for (const text of ['1.0', '-10.00\n', '{"a":1.0}', '[2.0 ,1]', '[1,2.0e3]']) assert.notEqual(marked(text), undefined, text);
  for (const text of ['', '1', '1.5', '[1.01]', '{"image":"nginx:1.0"}', '"1.0.0"', '{"a":".0"}']) assert.equal(marked(text), undefined, text);
  assert.deepEqual(marked('{"a":[1.0,2,2.5,{"b":-3.0E2}],"c":"4.0, "}'), { a: [new WholeFloat('1.0'), 2, 2.5, { b: new WholeFloat('-3.0E2') }], c: '4.0, ' });
});

test('numbers beyond a double are refused', () => {
  assert.throws(() => parse('1e400'), JsonSyntaxError);
  assert.throws(() => parse('{"a":-1E+999}'), JsonSyntaxError);
  assert.throws(() => parse('9'.repeat(400)), JsonSyntaxError);
  assert.equal(parse('1e-400'), 0);
});

test('the short way is taken only where it gives what the long one gives, wherever in the text the special stands', () => {
  const special = fc.constantFrom('"\\ud800"', '"\\uDFFF x"', '1e400', '-2.5E+1000', '1e-400', '1e308', '{"a":[[]]}', '[{}]', '"{["');
  const digits = fc.integer({ min: 13, max: 20 }).map((length) => '9'.repeat(length));
  const padding = fc.nat(40).map((length) => JSON.stringify('a'.repeat(length)));
  fc.assert(
    fc.property(fc.array(fc.oneof(special, digits, padding), { maxLength: 12, size: 'max' }), fc.constantFrom('', ' ', '\n'), (values, space) => {
      const text = `[${values.join(`,${space}`)}${space}]`;
      let expected: unknown;
      try {
        expected = parseJsonText(text);
      } catch (cause) {
        assert.throws(() => parse(text), { message: (cause as Error).message });
        return;
      }
      assert.deepEqual(parse(text), expected);
    }),
    { numRuns: 1_000 },
  );
});

const ERRORS: readonly (readonly [text: string, message: string])[] = [
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['apiVersion: v1', "invalid character 'a' looking for beginning of value"],
  ['{a', "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['tru!', "invalid character '!' in literal true (expecting 'e')"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['\u0001', "invalid character '\\x01' looking for beginning of value"],
  ['\\', "invalid character '\\\\' looking for beginning of value"],
  ["'", "invalid character '\\'' looking for beginning of value"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
  ['€', "invalid character 'â' looking for beginning of value"],
  ['😀', "invalid character 'ð' looking for beginning of value"],
  ['tru', "invalid character ' ' in literal true (expecting 'e')"],
  ['-', "invalid character ' ' in numeric literal"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['"a', 'unexpected end of JSON input'],
  ['[1', 'unexpected end of JSON input'],
  ['[1.]', "invalid character ']' after decimal point in numeric literal"],
  ['1.5e', "invalid character ' ' in exponent of numeric literal"],
  ['1E-x', "invalid character 'x' in exponent of numeric literal"],
  ['1e5.', "invalid character '.' after top-level value"],
  ['-x', "invalid character 'x' in numeric literal"],
];

for (const [text, message] of ERRORS) {
  test(`${JSON.stringify(text)} is refused: ${message}`, () => {
    assert.throws(() => parse(text), { name: 'JsonSyntaxError', message });
  });
}

test('of repeated keys the last one counts, in both parsers', () => {
  assert.deepEqual(parse('{"a":1,"a":2}'), { a: 2 });
  assert.deepEqual(parse('{"a":1,"a":9007199254740993}'), { a: 9007199254740993n });
});

test('names of built-in members are ordinary data, in both parsers', () => {
  for (const number of ['1', '9007199254740993']) {
    const value = parse(`{"__proto__":{"x":${number}},"constructor":1}`) as Record<string, unknown>;
    assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(jsonText(value), `{"__proto__":{"x":${number}},"constructor":1}`);
  }
});

test('bytes that are not UTF-8 and lone surrogates become U+FFFD', () => {
  assert.deepEqual(parseJson(Buffer.concat([bytes('{"a":"'), Buffer.from([0xff, 0xc3]), bytes('"}')])), { a: '\ufffd\ufffd' });
  assert.equal(parse('"\\ud800x\\udC00"'), '\ufffdx\ufffd');
  assert.equal(parse('"\\ud83d\\ude00"'), '\u{1f600}');
  assert.deepEqual(parse('"\\ud7ff"'), '\ud7ff');
});

test('a byte order mark is no JSON', () => {
  assert.throws(() => parse('\ufeff{}'), JsonSyntaxError);
});

test('nesting is bounded, brackets in strings do not count', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  assert.ok(Array.isArray(parse(nested(512))));
  assert.throws(() => parse(nested(514)), JsonSyntaxError);
  assert.throws(() => parse(`${'["]",'.repeat(600)}1${']'.repeat(600)}`), JsonSyntaxError);
  assert.throws(() => parse('['.repeat(1_000_000)), JsonSyntaxError);
  assert.equal(parse(JSON.stringify('['.repeat(5_000))), '['.repeat(5_000));
  assert.equal((parse(`[${'{},'.repeat(5_000)}1]`) as unknown[]).length, 5_001);
});

test('nesting is bounded whatever it is made of, and whatever texts stand before it', () => {
  const nests = [['[', ']', 1], ['{"a":', '}', 1], ['[{"a":', '}]', 2], ['{"\\"":[', ']}', 2]] as const;
  for (const [open, close, levels] of nests) {
    for (const before of ['', '"\\"",', '"[{\\\\",', '"}]]",{},[],']) {
      const nested = (depth: number): string => `[${before}${open.repeat((depth - 2) / levels)}[1]${close.repeat((depth - 2) / levels)}]`;
      assert.equal(JSON.stringify(parse(nested(512))), nested(512));
      assert.throws(() => parse(nested(514)), JsonSyntaxError, nested(6));
    }
  }
});

test('what a server wrote may be nested twice as deep, and no deeper', () => {
  const nested = (depth: number, value: string): Uint8Array => bytes(`${'['.repeat(depth)}${value}${']'.repeat(depth)}`);
  for (const value of ['', '9007199254740993']) {
    assert.ok(Array.isArray(parseWrittenJson(nested(1024, value))));
    assert.throws(() => parseJson(nested(1024, value)), JsonSyntaxError);
    assert.throws(() => parseWrittenJson(nested(1026, value)), JsonSyntaxError);
  }
});

test('a date is text, with and without bigint beside it', () => {
  const at = new Date(0);
  assert.equal(jsonText({ at }), '{"at":"1970-01-01T00:00:00.000Z"}');
  assert.equal(jsonText({ at, b: 1n }), '{"at":"1970-01-01T00:00:00.000Z","b":1}');
});

test('undefined members are left out, with and without bigint beside them', () => {
  assert.equal(Buffer.from(stringifyJson({ a: undefined, b: 1 })).toString(), '{"b":1}');
  assert.equal(jsonText({ a: undefined, b: 1n, c: [1n, undefined] }), '{"b":1,"c":[1,null]}');
});
