import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryObjects } from 'node:v8';
import type { ApiObject } from '#api';
import type { Stored } from './object-store.ts';
import { createUnshared, createStored, keepSource, valueOf, type KindCodec } from './stored.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);
const select: KindCodec['select'] = () => ({});

describe('stored', () => {
  it('R2.2-09 carries its revision in metadata, whatever else is in there', () => {
    const table: readonly (readonly [string, string])[] = [
      ['{"kind":"A","apiVersion":"v1","metadata":{}}', '{"kind":"A","apiVersion":"v1","metadata":{"resourceVersion":"9"}}'],
      ['{"kind":"A","apiVersion":"v1","metadata":{"name":"é"},"spec":{"metadata":{}}}', '{"kind":"A","apiVersion":"v1","metadata":{"resourceVersion":"9","name":"é"},"spec":{"metadata":{}}}'],
      ['{"kind":"\\"metadata\\":{","apiVersion":"v1","metadata":{}}', '{"kind":"\\"metadata\\":{","apiVersion":"v1","metadata":{"resourceVersion":"9"}}'],
    ];
    for (const [value, json] of table) {
      const stored = createStored({ key: '/a', value: bytes(value), revision: 9 }, select);
      assert.equal(text(stored.json), `${json}\n`);
      assert.equal(text(valueOf(stored)), value);
      assert.equal(stored.json, stored.json);
      assert.equal(stored.object.metadata.resourceVersion, '9');
    }
  });

  it('says what to do about a value that is no object: one that is encrypted is not to be deleted', () => {
    for (const [value, why] of [['k8s:enc:aescbc:v1:key1:x', /^the entry \/a is encrypted: give its key with --encryption-provider-config$/], ['{}', /^the entry \/a has no metadata: /]] as const) {
      assert.throws(() => createStored({ key: '/a', value: bytes(value), revision: 1 }, select).json, (cause: Error) => why.test(cause.message));
    }
  });

  it('is made once for a value at a revision', () => {
    const value = bytes('{"metadata":{}}');
    const one = createStored({ key: '/a', value, revision: 1 }, select);
    assert.equal(createStored({ key: '/a', value, revision: 1 }, select), one);
    assert.notEqual(createStored({ key: '/a', value, revision: 2 }, select), one);
    assert.equal(text(createStored({ key: '/a', value, revision: 2 }, select).json), '{"metadata":{"resourceVersion":"2"}}\n');
    assert.equal(createUnshared('/a', value, 0, select).json, value);
  });

  it('holds the object it was written from as long as it is one of the last writes, and decodes it later', () => {
    const write = (name: string): { readonly written: ApiObject; readonly stored: Stored } => {
      const written = { metadata: { name, labels: {} } } as unknown as ApiObject;
      const value = bytes(JSON.stringify(written));
      keepSource(value, written);
      return { written, stored: createStored({ key: `/${name}`, value, revision: 1 }, select) };
    };
    const { written, stored } = write('a');
    const { object } = stored;
    assert.equal(object.metadata.labels, written.metadata.labels);
    for (let at = 0; at < 200; at++) write(`${at}`);
    assert.notEqual(stored.object, object);
    assert.deepEqual(stored.object, object);
  });

  it('leaves nothing of the object it was written from at the value, which stays in memory for long', () => {
    class Written implements ApiObject {
      kind = 'A';
      apiVersion = 'v1';
      metadata = { name: 'a' };
    }
    const write = (): Stored => {
      const value = bytes('{"kind":"A","apiVersion":"v1","metadata":{"name":"a"}}');
      keepSource(value, new Written());
      return createStored({ key: '/a', value, revision: 1 }, select);
    };
    const stored = write();
    assert.equal(queryObjects(Written), 0);
    assert.equal(stored.object.metadata.name, 'a');
  });

  it('takes __proto__ and constructor for ordinary data', () => {
    const value = '{"kind":"A","apiVersion":"v1","metadata":{"labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"polluted":true}}';
    const stored = createStored<ApiObject>({ key: '/a', value: bytes(value), revision: 1 }, select);
    assert.deepEqual(Object.entries(stored.labels), [['__proto__', 'x'], ['constructor', 'y']]);
    assert.equal(Object.hasOwn(stored.object, '__proto__'), true);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    const plain = createStored<ApiObject>({ key: '/b', value: bytes('{"metadata":{}}'), revision: 1 }, select);
    assert.equal(plain.labels['constructor'], undefined);
    assert.equal(plain.fields['constructor'], undefined);
  });
});
