import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringScalar, t } from '#schema';
import { objectTypeOf } from '#api';
import { ApiError } from '#errors';
import type { Expected } from './codec.ts';
import { createJsonCodec } from './json.ts';
import { withParts } from './parts.ts';
import { createYamlCodec } from './yaml.ts';
import { parseYaml, YamlError } from './yaml-reader.ts';
import { compareKeys } from './yaml-key-order.ts';
import { formatYaml } from './yaml-writer.ts';

const parse = (text: string): unknown => parseYaml(Buffer.from(text));

const SCALARS: readonly (readonly [text: string, value: unknown])[] = [
  ['y', true],
  ['n', false],
  ['On', true],
  ['off', false],
  ['yes', true],
  ['True', true],
  ['tRUE', 'tRUE'],
  ['~', null],
  ['null', null],
  ['"null"', 'null'],
  ["'5'", '5'],
  ['5', 5],
  ['+5', 5],
  ['-5', -5],
  ['0x1F', 31],
  ['0b101', 5],
  ['0o17', 15],
  ['017', 15],
  ['08', 8],
  ['1_000', 1000],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['1e3', 1000],
  ['1.', 1],
  ['._5', '._5'],
  ['.', '.'],
  ['-', '-'],
  ['1.2.3', '1.2.3'],
  ['10.0.0.1', '10.0.0.1'],
  ['12:30:45', '12:30:45'],
  ['2021-01-01', '2021-01-01'],
  ['2021-01-01T00:00:00Z', '2021-01-01T00:00:00Z'],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775808', 2 ** 63],
  ['500m', '500m'],
  ['!!str 5', '5'],
  ['!!int "5"', 5],
  ['!!float 5', 5],
  ['!!binary aGk=', 'hi'],
  ['!!binary "aGlnaCBh\\nbmQgbG93"', 'high and low'],
  ['!other 5', '5'],
];

for (const [text, value] of SCALARS) {
  test(`RX-15 the scalar ${text} means ${typeof value === 'bigint' ? `${value}n` : JSON.stringify(value)}`, () => {
    if (text !== '-') assert.deepEqual(parse(`a: ${text}`), { a: value });
  });
}

test('only the first document counts; an empty text is null', () => {
  assert.equal(parse(''), null);
  assert.equal(parse('# nothing\n'), null);
  assert.deepEqual(parse('a: 1\n---\nb: 2\n'), { a: 1 });
});

test('R4.7-12 a block that ends with its document has a last line break only where the document has one', () => {
  for (const mark of ['|', '>', '|+', '>+']) assert.deepEqual([parse(`a: ${mark}\n  b`), parse(`a: ${mark}\n  b\n`)], [{ a: 'b' }, { a: 'b\n' }], mark);
  assert.deepEqual(parse('- |\n  b\n\n  c'), ['b\n\nc']);
  assert.deepEqual([parse('|\n  b\n '), parse('|\n  b\n   '), parse('|+\n  b\n  ')], ['b\n', 'b\n ', 'b\n']);
  assert.deepEqual([parse('|-\n  b'), parse('a: |\n  b\nc: 1'), parse('a: |\n  b\n---')], ['b', { a: 'b\n', c: 1 }, { a: 'b\n' }]);
});

test('anchors, aliases and merge keys', () => {
  assert.deepEqual(parse('a: &x {k: 1, l: 2}\nb: *x\nc: {<<: *x, k: 3}\n'), { a: { k: 1, l: 2 }, b: { k: 1, l: 2 }, c: { k: 3, l: 2 } });
  assert.deepEqual(parse('- &x {k: 1}\n- &y {k: 2, m: 3}\n- {<<: [*x, *y]}\n'), [{ k: 1 }, { k: 2, m: 3 }, { k: 1, m: 3 }]);
  assert.deepEqual(parse('"<<": {a: 1}'), { '<<': { a: 1 } });
});

test('keys that are numbers or truth values become texts; of repeated keys the last one counts', () => {
  assert.deepEqual(parse('1: a\ny: b\n1.5: c\n'), { 1: 'a', true: 'b', '1.5': 'c' });
  assert.deepEqual(parse('a: 1\na: 2\n'), { a: 2 });
});

test('a reader that wants no repeated keys refuses them at every depth, but not what stands above a merge key', () => {
  const once = (text: string): unknown => parseYaml(Buffer.from(text), { mayRepeatKeys: false });
  for (const text of ['a: 1\nb: 2\na: 1\n', '[{a: 1, "a": 2}]', '1: a\n"1": b\n']) assert.throws(() => once(text), /the key "[a1]" is there twice/);
  assert.deepEqual(once('a: &x {k: 1}\nb: {<<: *x, k: 2}\n'), { a: { k: 1 }, b: { k: 2 } });
});

test('names of built-in members are ordinary data', () => {
  const value = parse('__proto__: {x: 1}\nconstructor: 2\nb: {<<: {__proto__: 3}}\n') as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor', 'b']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(JSON.stringify(value), '{"__proto__":{"x":1},"constructor":2,"b":{"__proto__":3}}');
});

test('RX-15 lines inside of brackets and quotes begin wherever they like, as the parser of Kubernetes takes them', () => {
  const given: readonly (readonly [text: string, value: unknown])[] = [
    ['m:\n  a: {\n    b: c\n  }\n  d: e\n', { m: { a: { b: 'c' }, d: 'e' } }],
    ['m:\n  a: [\n    b,\n  ]\n', { m: { a: ['b'] } }],
    ['m: {\nb: c\n}\n', { m: { b: 'c' } }],
    ['l:\n- {\n  a: b\n}\n- c\n', { l: [{ a: 'b' }, 'c'] }],
    ['- - - {\na: b\n}\n', [[[{ a: 'b' }]]]],
    ['m:\n  a: !!map {\n# c\n\nb: c # d\r\n}\n', { m: { a: { b: 'c' } } }],
    ['m:\n  a: &x {b: [\n1,\n2\n], c: "p\nq"\n}\n  d: *x\n', { m: { a: { b: [1, 2], c: 'p q' }, d: { b: [1, 2], c: 'p q' } } }],
    ['m:\n  a: "x\ny\n\n z"\n  b: c\n', { m: { a: 'x y\nz', b: 'c' } }],
    ["m:\n  a: 'x\ny'\n", { m: { a: 'x y' } }],
    ['m:\n  a: "x\\\ny"\n', { m: { a: 'xy' } }],
  ];
  for (const [text, value] of given) assert.deepEqual(parse(text), value, text);
});

test('RX-15 tabs stand between the parts of what is in brackets, and before it, as the parser of Kubernetes takes them', () => {
  const given: readonly (readonly [text: string, value: unknown])[] = [
    ['a: ["b\t[",\t"c\td", \t e]\nf: g\n', { a: ['b\t[', 'c\td', 'e'], f: 'g' }],
    ['m:\n  k:\n  a: {b:\tc,\t"d": {\te: [\tf]}}\n  g: h\n', { m: { k: null, a: { b: 'c', d: { e: ['f'] } }, g: 'h' } }],
    ['a: b\nc:\t[d]\ne: \t {f: g}\n', { a: 'b', c: ['d'], e: { f: 'g' } }],
    ['- a\n- [b,\tc]\n- \t[d]\n', ['a', ['b', 'c'], ['d']]],
    ['m:\n  a: {\n"b":\t1,\n\t"c":\t[\n\t\t2\n\t]\n}\n  d: "\te"\n', { m: { a: { b: 1, c: [2] }, d: '\te' } }],
  ];
  for (const [text, value] of given) assert.deepEqual(parse(text), value, text);
});

test('RX-15 a dash alone is a text inside of brackets, as the parser of Kubernetes takes it', () => {
  assert.deepEqual(parse('a: [cat, -]\nb: {c: -, d: [-,-], e: "-,", f: &x -}\ng: *x\n'), { a: ['cat', '-'], b: { c: '-', d: ['-', '-'], e: '-,', f: '-' }, g: '-' });
  for (const text of ['a: [b, - c]', 'a: [b, - ]', 'a: ["b" -, c]', 'a: [b, -\n]']) assert.throws(() => parse(text), /^YamlError: yaml: line 1: missed comma between flow collection entries$/, text);
});

test('what is wrong below such lines is told with its line, and a text with too many of them is not read for ever', () => {
  assert.throws(() => parse('a: {\nb: c\n}\nd: e: f\n'), /^YamlError: yaml: line 4: /);
  assert.throws(() => parse('a: [-,\tb]\nc: d: e\n'), /^YamlError: yaml: line 2: /);
  assert.throws(() => parse(`a: [\n${'1,\n'.repeat(200_000)}]\n`), /^YamlError: yaml: line \d+: deficient indentation$/);
  assert.throws(() => parse(`a: [${'-,'.repeat(200_000)}]\n`), /^YamlError: yaml: line 1: missed comma between flow collection entries$/);
  assert.throws(() => parse(`a: [${'1,\t'.repeat(200_000)}]\n`), /^YamlError: yaml: line 1: deficient indentation$/);
});

const BAD: readonly string[] = [
  'a: [',
  'a: b: c',
  'a: *none',
  'a: &a [*a]',
  '[1]: 2',
  '~: 1',
  'a: .inf',
  'a: !!int x',
  'a: {<<: 5}',
  'a: !!binary aGk',
  'a: !!binary "aGk=!"',
  'a: !!binary a Gk=',
  '['.repeat(10_000),
  '\u0000',
];

for (const text of BAD) {
  test(`${JSON.stringify(text.slice(0, 20))} is refused`, () => {
    assert.throws(() => parse(text), YamlError);
  });
}

test('what is wrong is told with the line where it is', () => {
  assert.throws(() => parse('a: 1\nb: c: d\ne: f\n'), /^YamlError: yaml: line 2: /);
});

test('an escape stands for one character, and one for half of a character or none is refused with its line', () => {
  assert.deepEqual(parse('a: "\\ud83d\\ude00 \\U0001F600 \\U0010FFFF"'), { a: '\u{1f600} \u{1f600} \u{10ffff}' });
  assert.deepEqual(parse(String.raw`{a: "\\U00110000 \\\\ud800", b: '\ud800', c: \UFFFFFFFF}`), { a: String.raw`\U00110000 \\ud800`, b: String.raw`\ud800`, c: String.raw`\UFFFFFFFF` });
  for (const escape of [String.raw`\ud800`, String.raw`\udc00\ud800`, String.raw`x\\\udfff`, String.raw`\U00110000`, String.raw`\U04010000`, String.raw`\\\UFFFFFFFF`]) {
    assert.throws(() => parse(`a: 1\r\nb: 2\n"${escape}": 3\n`), /^YamlError: yaml: line 3: an escape stands for no character$/, escape);
  }
});

test('bytes that are not UTF-8 are refused', () => {
  assert.throws(() => parseYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff])), YamlError);
});

test('aliases that multiply are refused before they cost anything, whatever they repeat', () => {
  for (const of of ['x', '[]', '{}', '""']) {
    const lines = [`a0: &a0 [${Array.from({ length: 10 }, () => of).join(',')}]`];
    for (let level = 1; level < 12; level++) lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')}]`);
    assert.throws(() => parse(lines.join('\n')), /excessive aliasing/, of);
  }
});

test('maps that merge each other level by level are refused before they cost anything, and many that merge a few members are not', () => {
  const members = Array.from({ length: 1_000 }, (_, n) => `k${n}: v`).join(', ');
  for (const open of ['<<: ', 'a: b, <<: ', '<<: [{a: b}, ', 'a: {b: c}, !!merge "<<": [']) {
    const nested = (levels: number): string => `${`{${open}`.repeat(levels)}{${members}}${`${open.includes('[') ? ']' : ''}}`.repeat(levels)}`;
    assert.equal(Object.keys(parse(nested(5)) as object).length >= 1_000, true, open);
    assert.throws(() => parse(nested(100)), /excessive merging/, open);
  }
  const few = Array.from({ length: 2_000 }, (_, n) => `- {<<: *common, name: n${n}}`).join('\n');
  assert.equal((parse(`- &common {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}\n${few}\n`) as unknown[]).length, 2_001);
});

test('a long text that is repeated counts by its length, wherever it stands', () => {
  const long = 'x'.repeat(100_000);
  const repeated = (of: string, times: number): string => `a: &a ${of}\nb: [${Array.from({ length: times }, () => '*a').join(',')}]`;
  const { b } = parse(repeated(long, 30)) as { b: readonly string[] };
  assert.deepEqual([b.length, b[29]], [30, long]);
  for (const of of [long, `"${long}"`, `{k: ${long}}`, `{? ${long} : v}`, `[[${long}]]`]) assert.throws(() => parse(repeated(of, 1_000)), /excessive aliasing/, of.slice(0, 5));
  const merged = Array.from({ length: 1_000 }, () => '{<<: *a}').join(',');
  assert.throws(() => parse(`a: &a {k: ${long}}\nb: [${merged}]`), /excessive aliasing/);
});

test('what is written is read back, whatever the value', () => {
  const word = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.stringMatching(/^[-yYnN~.0-9:# '"\n\t{}]{0,12}$/), fc.lorem({ maxCount: 30 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.constantFrom(null, true, false, 0, -1, 1.5, 1e6, 1e21, 1.25e-7, 1234567.5, 9007199254740993n),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(value, value, (one, other) => {
      const whole = { one, list: [other] };
      assert.deepEqual(parse(formatYaml(whole)), whole);
    }),
    { numRuns: 1_000 },
  );
});

test('every JSON text is the same value as YAML', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      const asJson = JSON.parse(text, (_key, value: unknown) => (Object.is(value, -0) ? 0 : value)) as unknown;
      const asYaml = JSON.parse(JSON.stringify(parse(text), (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))) as unknown;
      assert.deepEqual(asYaml, asJson);
    }),
  );
});

test('a document is not many times as long as its object, however deep that is, and says the same', () => {
  const within = (value: unknown): unknown => Array.from({ length: 480 }).reduce((inner) => ({ a: inner }), value);
  const odd = { text: 'one\ntwo\n', signs: 'a: "\u2028\\ #\u{1f600}', ['k'.repeat(300)]: ['y', null, true, -1, 1.5e300, 9007199254740993n, [], {}], '': { '<<': '~' } };
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1]));
  const shapes: Readonly<Record<string, unknown>> = {
    words: within('x '.repeat(200_000)),
    lines: within('x\n'.repeat(200_000)),
    members: within({ ...members, ...odd }),
    items: within([...Array.from({ length: 100_000 }, () => 1), odd]),
    levels: Array.from({ length: 480 }).reduce((inner) => ({ a: inner, b: 'x '.repeat(2_000) }), odd),
  };
  for (const [shape, value] of Object.entries(shapes)) {
    const text = formatYaml(value);
    assert.deepEqual(parse(text), value, shape);
    assert.ok(text.length < 8_000_000, `${shape}: ${text.length} characters`);
    // Readers of YAML 1.1 take a long key for one only where it says so.
    if (shape === 'members') assert.match(text, /, \? "k{300}": \["y", null, true, -1, 1\.5e\+300, 9007199254740993, \[\], \{\}\]/);
  }
});

test('long and deep lines are broken as long as that does not fill a document', () => {
  const words = 'word '.repeat(20).trim();
  const broken = formatYaml({ list: Array.from({ length: 20_000 }, () => words) });
  assert.equal(broken.split('\n').length, 40_002);
  const inside = { a: { b: 'x '.repeat(50), c: 'one\ntwo' } };
  const text = formatYaml(Array.from({ length: 30 }).reduce((inner) => [inner], inside));
  assert.ok(text.includes(`\n${' '.repeat(64)}x`) && text.includes(`\n${' '.repeat(64)}two`), text);
});

test('numbers have the form clients know: whole ones all their digits, fractions an exponent where they are large or small', () => {
  assert.equal(formatYaml([1e6, 1234567.5, 100000.5, 0.0001, 0.00001, 1e20, 1e21]), '- 1000000\n- 1.2345675e+06\n- 100000.5\n- 0.0001\n- 1e-05\n- 100000000000000000000\n- 1e+21\n');
});

test('R4.7-12 the form is the one clients know', () => {
  const value = {
    kind: 'Status',
    message: 'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "cf-123"',
    details: { causes: [{ reason: 'x', field: 'a' }, {}], names: [], nested: [['a', 'b'], []] },
    labels: { y: 'y', '8080': '5', a10: '', a9: 'x: y', '-': '- a', text: 'one\ntwo\n' },
    count: 3,
    at: null,
  };
  assert.equal(
    formatYaml(value),
    [
      'at: null',
      'count: 3',
      'details:',
      '  causes:',
      '  - field: a',
      '    reason: x',
      '  - {}',
      '  names: []',
      '  nested:',
      '  - - a',
      '    - b',
      '  - []',
      'kind: Status',
      'labels:',
      `  '-': '- a'`,
      '  "8080": "5"',
      `  a9: 'x: y'`,
      '  a10: ""',
      '  text: |',
      '    one',
      '    two',
      '  "y": "y"',
      `message: 'configmaps is forbidden: User "alice" cannot list resource "configmaps"`,
      `  in API group "" in the namespace "cf-123"'`,
      '',
    ].join('\n'),
  );
});

test('R4.7-12 a key of more than 128 bytes is marked as a key, and its value begins behind a mark of its own', () => {
  const key = 'é'.repeat(65);
  const forms: readonly (readonly [value: unknown, text: string])[] = [
    [{ a: [1, 2], b: 3 }, `? ${key}\n: a:\n  - 1\n  - 2\n  b: 3\n`],
    [[1, [2, 3], { a: 1, b: 2 }], `? ${key}\n: - 1\n  - - 2\n    - 3\n  - a: 1\n    b: 2\n`],
    [{}, `? ${key}\n: {}\n`],
    ['x', `? ${key}\n: x\n`],
  ];
  for (const [value, text] of forms) {
    assert.equal(formatYaml({ [key]: value }), text);
    assert.deepEqual(parse(text), { [key]: value });
  }
  assert.equal(formatYaml({ [key.slice(1)]: [1] }), `${key.slice(1)}:\n- 1\n`);
});

test('keys stand in the order clients write them: digits as numbers, other signs before letters', () => {
  const inOrder = ['-', '8', '10', '12', '100', 'a', 'a-', 'a000', 'a0000', 'a1', 'a1-', 'a01', 'a2', 'a02', 'a002', 'a9', 'a10', 'a12', 'a100', 'a100b', 'aB', 'ab', 'b', 'b10', 'b102', 'b1000'];
  assert.deepEqual([...inOrder].reverse().sort(compareKeys), inOrder);
  assert.deepEqual([...inOrder].sort(compareKeys), inOrder);
});

test('keys are compared by characters, whatever their script and however long their numbers are', () => {
  const far = '1'.repeat(400);
  const inOrder = ['a{', 'a\u{1f600}', 'a\u{1f601}', 'a\u0661', 'a\u0661\u0662', 'a\u{104a0}', `a${far}`, `a${far}2`, 'az', 'a\u00e9', 'a\uff21', 'a\u{10400}', 'a\u{10401}'];
  assert.deepEqual([...inOrder].reverse().sort(compareKeys), inOrder);
  assert.deepEqual([...inOrder].sort(compareKeys), inOrder);
});

class Body extends t.message('test.ConfigMap', { data: t.map(1, stringScalar) }) {}
const expected: Expected = { apiVersion: 'v1', kind: 'ConfigMap', type: objectTypeOf(Body) };
const codec = createYamlCodec(createJsonCodec());

test('the codec reads YAML and JSON and writes YAML', () => {
  const fromYaml = codec.decode(expected, Buffer.from('metadata:\n  name: a\ndata:\n  k: "1"\n'));
  const fromJson = codec.decode(expected, Buffer.from('{"metadata":{"name":"a"},"data":{"k":"1"}}'));
  assert.deepEqual(fromYaml, fromJson);
  const encoded = codec.encode(expected.type, fromYaml);
  const item = 'data:\n    k: "1"\n  metadata:\n    creationTimestamp: null\n    name: a\n';
  assert.equal(Buffer.from(encoded).toString(), 'apiVersion: v1\ndata:\n  k: "1"\nkind: ConfigMap\nmetadata:\n  creationTimestamp: null\n  name: a\n');
  assert.equal(
    Buffer.concat(withParts(codec.list({ apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' } }), [codec.partCodec.encode(expected.type, fromYaml)])).toString(),
    `apiVersion: v1\nitems:\n- ${item}kind: ConfigMapList\nmetadata:\n  resourceVersion: "7"\n`,
  );
});

test('what is no YAML, or not the type, is a bad request', () => {
  for (const body of ['a: [', '- a\n', 'metadata:\n  name: y\n', 'data:\n  a: 1\n']) {
    assert.throws(
      () => codec.decode(expected, Buffer.from(body)),
      (error) => error instanceof ApiError && error.reason === 'BadRequest',
    );
  }
});
