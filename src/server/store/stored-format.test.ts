import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brandOf, createCatalog, defineKind, DIALECTS, type ApiObject, type Brand, type KindDefinition, type KindObject } from '#api';
import { allKinds } from '#kinds';
import { encodeForStorage } from '#registry';
import { t } from '#schema';
import { StorageFailure } from '#storage';
import { anyStoredFormat } from './stored-format.ts';

const KEY = '/registry/things/a';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array): string => new TextDecoder().decode(value);
const isCorrupt = (words: RegExp) => (error: unknown): boolean => error instanceof StorageFailure && error.code === 'corrupt' && words.test(error.message);

class Narrow extends t.message('example/v1.Ring', { radius: t.int32(2).required() }) {}
class Wide extends t.message('example/v2.Ring', { diameter: t.int32(2).required() }) {}

/** Of a program that once stored it in another version. */
const Ring = defineKind(Wide, {
  group: 'example.com',
  kind: 'Ring',
  plural: 'rings',
  scope: 'Cluster',
  versions: { v2: { schema: Wide } },
  storage: 'v2',
  retired: {
    v1: {
      schema: Narrow,
      up(object) {
        const { radius, ...rest } = object as KindObject<Narrow>;
        return { ...rest, diameter: 2 * radius } as KindObject<Wide>;
      },
    },
  },
}) as unknown as KindDefinition;

/** An object of each built-in kind that is stored, as it stands in the store: with every member that has a value where none is said. */
function* storedOf(brand: Brand): Generator<{ readonly group: string; readonly kept: Uint8Array }> {
  const [binary, own] = [anyStoredFormat(brand, { families: ['IPv4'], format: 'protobuf' }), anyStoredFormat(brand, { families: ['IPv4'] })];
  for (const { kind, storage } of createCatalog(allKinds, brand).resources) {
    if (kind.action !== undefined) continue;
    const object = { kind: kind.kind, apiVersion: storage.apiVersion, metadata: { name: 'a', uid: 'u', creationTimestamp: '2030-01-01T00:00:00Z' } } as ApiObject;
    yield { group: kind.group, kept: own.fromStorage(KEY, binary.toStorage(KEY, encodeForStorage(object))).value };
  }
}

for (const dialect of DIALECTS) {
  const brand = brandOf(dialect);
  const form = (format?: 'json' | 'protobuf') => anyStoredFormat(brand, { families: ['IPv4'], format });
  const custom = encodeForStorage({ kind: 'Thing', apiVersion: 'example.com/v1', metadata: { name: 'a' } } as ApiObject);

  describe(`objects as others keep them (${dialect})`, () => {
    test('every kind is read back as it was written, in either format, and is stale in the other', () => {
      let count = 0;
      for (const { group, kept } of storedOf(brand)) {
        const name = text(kept).slice(0, 80);
        assert.equal(form().toStorage(KEY, kept), kept);
        const sealed = form('protobuf').toStorage(KEY, kept);
        const isEither = group !== 'apiextensions' && group !== 'apiregistration';
        assert.equal(text(sealed.subarray(0, 4)) === 'k8s\0', isEither, name);
        assert.deepEqual(JSON.parse(text(form().fromStorage(KEY, sealed).value)), JSON.parse(text(kept)));
        assert.deepEqual([form('protobuf').fromStorage(KEY, sealed).isStale, form('protobuf').fromStorage(KEY, kept).isStale], [false, isEither], name);
        assert.deepEqual([form('json').fromStorage(KEY, sealed).isStale, form('json').fromStorage(KEY, kept).isStale], [isEither, false], name);
        assert.deepEqual([form().fromStorage(KEY, sealed).isStale, form().fromStorage(KEY, kept).isStale], [false, false], name);
        count++;
      }
      assert.ok(count > 40, `${count}`);
    });

    test('custom resources and what is of our own form already stay the bytes that they are', () => {
      const map = encodeForStorage({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', creationTimestamp: '2020-01-01T00:00:00Z' } } as ApiObject);
      for (const kept of [custom, map]) assert.equal(form().fromStorage(KEY, kept).value, kept);
      assert.equal(form('protobuf').toStorage(KEY, custom), custom);
      assert.deepEqual(form('protobuf').fromStorage(KEY, custom), { value: custom, isStale: false });
      for (const kept of [custom, map]) assert.equal(text(form().fromStorage(KEY, bytes(`${text(kept)}\n`)).value), text(kept));
    });

    test('what others have stored as JSON says nothing of what is absent, and has the defaults that came later', () => {
      const head = '"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00Z"';
      const pod = `{"kind":"Pod","apiVersion":"v1",${head},"labels":null,"ownerReferences":null},"spec":{"volumes":null,"containers":[{"name":"c","image":"i","env":null,"resources":{"limits":null}}],"restartPolicy":"Never"},"status":{"conditions":null}}\n`;
      const { metadata, spec, status } = JSON.parse(text(form().fromStorage(KEY, bytes(pod)).value)) as { metadata: object; spec: object; status: object };
      assert.deepEqual(metadata, { name: 'a', creationTimestamp: '2020-01-01T00:00:00Z' });
      assert.deepEqual(spec, {
        containers: [{ name: 'c', image: 'i', resources: {}, imagePullPolicy: 'Always', terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' }],
        restartPolicy: 'Never',
        enableServiceLinks: true,
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        securityContext: {},
      });
      assert.deepEqual(status, {});
      // Null in what a custom resource says may have a meaning.
      const thing = `{"kind":"Thing","apiVersion":"example.com/v1",${head}},"spec":{"a":null}}`;
      assert.equal(text(form().fromStorage(KEY, bytes(`${thing}\n`)).value), thing);
      assert.throws(() => form().fromStorage(KEY, bytes(`{"kind":"ConfigMap","apiVersion":"v1",${head}},"data":"x"}\n`)), isCorrupt(/a is no object of its kind \(data: expected an object, found the string "x"\): restore a backup or delete it$/));
    });

    test('an object that was put back as it was answered does not say at which revision it is', () => {
      const inside = bytes('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"77","creationTimestamp":"2020-01-01T00:00:00Z"},"data":{"a":"b"}}');
      const { value } = form().fromStorage(KEY, inside);
      assert.equal(text(value), text(inside).replace('"resourceVersion":"77",', ''));
      // Events say at which revision the object was that they are about.
      const event = bytes('{"kind":"Event","apiVersion":"v1","metadata":{"name":"a","namespace":"b","creationTimestamp":"2020-01-01T00:00:00Z"},"involvedObject":{"resourceVersion":"77"}}');
      assert.equal(form().fromStorage(KEY, event).value, event);
    });

    test('what services have allocated is read as Kubernetes stores it, and written so', () => {
      const record = encodeForStorage({ kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: '30000-32767', data: 'AgE=' } as ApiObject);
      const sealed = form('protobuf').toStorage(KEY, record);
      assert.equal(text(sealed.subarray(0, 4)), 'k8s\0');
      const { range, data } = JSON.parse(text(form().fromStorage(KEY, sealed).value)) as { range: string; data: string };
      assert.deepEqual([range, data], ['30000-32767', 'AgE=']);
    });

    test('what others keep as it was sent stays so, byte for byte, in either format', () => {
      const sent = String.raw`{"args":["a \u0026\u0026 b"]}`;
      const revision = bytes(`{"kind":"ControllerRevision","apiVersion":"${brand.group('apps')}/v1","metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00Z"},"data":${sent},"revision":1}\n`);
      const { value } = form().fromStorage(KEY, revision);
      assert.ok(text(value).includes(`"data":${sent},`), text(value));
      const sealed = form('protobuf').toStorage(KEY, value);
      assert.ok(text(sealed).includes(sent), text(sealed));
      assert.ok(text(form().fromStorage(KEY, sealed).value).includes(`"data":${sent},`));
    });

    test('kinds that a program brings are brought to their storage version, and stay JSON', () => {
      const at = (version: string, form: object): Uint8Array => encodeForStorage({ kind: 'Ring', apiVersion: `example.com/${version}`, metadata: { name: 'a', creationTimestamp: null }, ...form } as unknown as ApiObject);
      const added = anyStoredFormat(brand, { families: ['IPv4'], format: 'protobuf', added: [Ring] });
      assert.deepEqual(JSON.parse(text(added.fromStorage(KEY, at('v1', { radius: 2 })).value)), JSON.parse(text(at('v2', { diameter: 4 }))));
      const kept = at('v2', { diameter: 4 });
      assert.deepEqual([added.fromStorage(KEY, kept), added.toStorage(KEY, kept)], [{ value: kept, isStale: false }, kept]);
      assert.throws(() => added.fromStorage(KEY, at('v3', {})), isCorrupt(/a holds a Ring of example\.com\/v3, which this program does not know/));
    });

    test('what no program here can have written is told from what a newer one has', () => {
      const newer = bytes(`{"kind":"Deployment","apiVersion":"apps/v9","metadata":{"name":"a"}}`);
      assert.throws(() => form().fromStorage(KEY, newer), isCorrupt(/a holds a Deployment of apps\/v9, which this program does not know: start the newer program/));
      assert.throws(() => form().fromStorage(KEY, bytes('k8s:enc:aescbc:v1:k:…')), isCorrupt(/a is encrypted: give its key with --encryption-provider-config/));
      const cut = '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"';
      for (const broken of ['', '{', '[]', '{"kind":"Pod"}', 'k8s\0', cut, `${cut}}}\0`, `${cut.replace('Pod', 'Own')}\n`]) assert.throws(() => form().fromStorage(KEY, bytes(broken)), isCorrupt(/a is neither JSON nor protobuf of a known kind/), broken);
    });
  });
}
