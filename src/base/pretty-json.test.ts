import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pretty, PrettyJson } from './pretty-json.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('pretty printing is what JSON.stringify with two spaces gives, and keeps every digit', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      const value = JSON.parse(text) as unknown;
      assert.equal(Buffer.from(pretty(bytes(JSON.stringify(value)))).toString(), JSON.stringify(value, null, 2));
    }),
  );
  assert.equal(Buffer.from(pretty(bytes('{"a":9007199254740993,"b":{ }}\n'))).toString(), '{\n  "a": 9007199254740993,\n  "b": {}\n}');
});

test('a string may be as long as any', () => {
  for (const unit of ['\u0001', 'a', '"', '\\', '\\"']) {
    const value = { a: unit.repeat(3_000_000), b: 1 };
    assert.ok(Buffer.from(pretty(bytes(JSON.stringify(value)))).equals(bytes(JSON.stringify(value, null, 2))), JSON.stringify(unit));
  }
});

test('a document is not many times as long as it was, however deep it is', () => {
  const deep = `${'{"a":'.repeat(480)}[${'{"b":1},2,'.repeat(200_000)}"x"]${'}'.repeat(480)}`;
  const printed = Buffer.from(pretty(bytes(deep)));
  assert.ok(printed.length < 10 * deep.length + 5_000_000, `${printed.length} bytes of ${deep.length}`);
  assert.equal(JSON.stringify(JSON.parse(printed.toString())), deep);
});

test('a long document is indented to its end', () => {
  const json = new PrettyJson();
  const list = Array.from({ length: 3_000 }, (_, n) => ({ metadata: { name: `n${n}`, labels: { a: ['b', 1] } } }));
  const pieces = ['[', ...list.map((item, at) => JSON.stringify(item) + (at < list.length - 1 ? ',' : '')), ']'];
  for (let times = 0; times < 30; times++) {
    assert.equal(pieces.map((piece) => Buffer.from(json.next(bytes(piece))).toString()).join(''), JSON.stringify(list, null, 2));
  }
});

test('it does not matter where a text is cut, except within a word, a number or a string', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.array(fc.boolean()), (text, cuts) => {
      const json = new PrettyJson();
      const pieces = [''];
      for (const token of text.match(/"(?:[^"\\]|\\.)*"|[^"]/g) ?? []) {
        const isCut = /[{}[\],:]/.test(token) && cuts.pop() === true;
        pieces[pieces.length - 1] += token;
        if (isCut) pieces.push('');
      }
      assert.equal(Buffer.concat(pieces.map((piece) => json.next(bytes(piece)))).toString(), Buffer.from(pretty(bytes(text))).toString());
    }),
  );
});
