import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareUtf8 } from '#base';
import { brandOf } from '#api';
import { decodeContinueToken, encodeContinueToken, pageAfter } from './continue-token.ts';
import { createKeySpace } from './key-space.ts';
import { endOf, isKeyComponent } from './keys.ts';
import { formatRevision, parseRevision } from './revision.ts';

const { keyOf, prefixOf } = createKeySpace(brandOf('orch'));
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('keys', () => {
  it('lie in the folder of their resource and namespace', () => {
    assert.equal(keyOf({ group: '', resource: 'pods', namespace: 'a', name: 'b' }), '/registry/pods/a/b');
    assert.equal(keyOf({ group: 'apps', resource: 'deployments', namespace: 'a', name: 'b' }), '/registry/apps/deployments/a/b');
    assert.equal(keyOf({ group: '', resource: 'namespaces', namespace: '', name: 'b' }), '/registry/namespaces/b');
    assert.equal(prefixOf({ group: 'apps', resource: 'deployments' }), '/registry/apps/deployments/');
    assert.equal(prefixOf({ group: '', resource: 'pods', namespace: 'a' }), '/registry/pods/a/');
  });

  it('hold any character, and long names', () => {
    for (const name of ['\u{1f600}', 'a\u{1f600}b', 'ü', 'a b', '~', 'x'.repeat(1024), '\u{1f600}'.repeat(256)]) assert.ok(isKeyComponent(name), name);
  });

  it('never leave it', () => {
    for (const name of ['', '.', '..', 'a/b', '/', '../x', 'a\u0000', 'a\n', 'a\u001f', 'a\u007f', '\ud800', '\ud800x', '\udc00', 'x'.repeat(1025), 'é'.repeat(513)]) {
      assert.equal(isKeyComponent(name), false, JSON.stringify(name));
      assert.throws(() => keyOf({ group: '', resource: 'pods', namespace: 'a', name }), RangeError);
      if (name !== '') assert.throws(() => keyOf({ group: '', resource: 'pods', namespace: name, name: 'a' }), RangeError);
    }
  });

  it('lie between the ends of their prefix, and nothing else does', () => {
    const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter(isKeyComponent);
    fc.assert(
      fc.property(part, part, part, (namespace, name, other) => {
        const place = { group: '', resource: 'pods', namespace };
        const isInside = (key: string, prefix: string): boolean => compareUtf8(key, prefix) >= 0 && compareUtf8(key, endOf(prefix)) < 0;
        const key = keyOf({ ...place, name });
        assert.ok(isInside(key, prefixOf(place)));
        assert.ok(isInside(key, key));
        assert.equal(isInside(keyOf({ ...place, name: other }), key), other === name);
        assert.equal(isInside(keyOf({ ...place, namespace: other, name }), prefixOf(place)), other === namespace);
      }),
    );
  });

  it('are compared as their bytes are', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 6 }).filter((text) => !/\p{Surrogate}/u.test(text));
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        assert.equal(Math.sign(compareUtf8(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});

describe('resourceVersion', () => {
  it('is read from digits only', () => {
    const table: readonly (readonly [string, number | undefined])[] = [
      ['0', 0],
      ['1', 1],
      ['9007199254740991', 2 ** 53 - 1],
      ['00', 0],
      ['9007199254740992', 2 ** 53 - 1],
      ['18446744073709551615', 2 ** 53 - 1],
      ['000018446744073709551615', 2 ** 53 - 1],
      ['18446744073709551616', undefined],
      ['99999999999999999999', undefined],
      ['9'.repeat(400), undefined],
      ['', undefined],
      ['-1', undefined],
      ['1.5', undefined],
      ['1e3', undefined],
      [' 1', undefined],
      ['0x10', undefined],
      ['a', undefined],
    ];
    for (const [text, revision] of table) assert.equal(parseRevision(text), revision, text);
    assert.equal(parseRevision(formatRevision(123)), 123);
  });
});

describe('continue token', () => {
  const prefix = '/registry/pods/';

  it('leads back to where it was made', () => {
    const token = encodeContinueToken({ revision: 7, from: `${prefix}n/a`, prefix });
    assert.match(token, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(JSON.parse(Buffer.from(token, 'base64url').toString()), { v: 'meta.k8s.io/v1', rv: 7, start: 'n/a' });
    assert.deepEqual(decodeContinueToken(token, prefix), { revision: 7, from: `${prefix}n/a` });
    assert.deepEqual(decodeContinueToken(encodeContinueToken({ revision: -1, from: `${prefix}a`, prefix }), prefix), { revision: -1, from: `${prefix}a` });
    const after = encodeContinueToken({ revision: 7, from: pageAfter(`${prefix}n/a`), prefix });
    assert.deepEqual(decodeContinueToken(after, prefix), { revision: 7, from: `${prefix}n/a\0` });
    assert.throws(() => encodeContinueToken({ revision: 7, from: '/registry/secrets/a', prefix }), RangeError);
  });

  it('is refused when it is not ours or leads elsewhere', () => {
    const v = 'meta.k8s.io/v1';
    const bad = [
      '',
      'abc',
      '!!',
      'null',
      encoded(null),
      encoded(7),
      encoded([]),
      encoded({ v: 'meta.k8s.io/v2', rv: 1, start: 'a' }),
      encoded({ v, rv: '1', start: 'a' }),
      encoded({ v, rv: 0, start: 'a' }),
      encoded({ v, rv: 1.5, start: 'a' }),
      encoded({ v, rv: 1e300, start: 'a' }),
      encoded({ v, rv: 1 }),
      ...['', '/', '/a', 'a/', 'a//b', '../secrets/x', 'a/../../b', '.', '\u0000', 'a/\u0000', 'a\u0000\u0000', 'a\u0000b', 'a\n'].map((start) => encoded({ v, rv: 1, start })),
      ...['x'.repeat(5_000), 'a/'.repeat(2_500) + 'a'].map((start) => encoded({ v, rv: 1, start })),
      ...['%', ' ', '\n', '===', '=A'].map((more) => encoded({ v, rv: 1, start: 'a' }) + more),
    ];
    for (const token of bad) assert.equal(decodeContinueToken(token, prefix), undefined, token.slice(0, 80));
  });

  it('never throws and never leaves its prefix', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.jsonValue().map(encoded), fc.string().map((start) => encoded({ v: 'meta.k8s.io/v1', rv: 5, start }))), (token) => {
        const decoded = decodeContinueToken(token, prefix);
        assert.ok(decoded === undefined || (decoded.from.startsWith(prefix) && !decoded.from.includes('/../')));
      }),
    );
  });
});
