import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

/** A length-delimited field, written by hand: the reader under test must not be its own judge. */
function field(number: number, content: Uint8Array | string): Uint8Array {
  const bytes = Buffer.from(content);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) break;
  }
  return Buffer.from([(number << 3) | 2, ...length, ...bytes]);
}

const message = (...fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields);
const MAGIC = Buffer.from('k8s\0', 'latin1');

/** The length-delimited fields of a message. */
function fieldsOf(bytes: Uint8Array): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at++] ?? 0;
    assert.equal(tag & 7, 2, 'only length-delimited fields were expected');
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    found.set(tag >> 3, Buffer.from(bytes.subarray(at, at + length)));
    at += length;
  }
  return found;
}

const configMap = (name: string): Uint8Array => message(field(1, field(1, name)), field(2, message(field(1, 'a'), field(2, '1'))));
const typeMeta = message(field(1, 'v1'), field(2, 'ConfigMap'));

everywhere(PLACES.withSockets, (world) => {
  const protobuf = () => ({ 'content-type': world.brand.names.protobuf, accept: 'application/json' });

  test('R2.6-01 R2.6-02 R2.6-04 R2.6-05 R2.6-08 R2.6-09 an answer: magic, then typeMeta and the whole object', async () => {
    const namespace = await world.namespace();
    await world.make('ConfigMap', namespace, { name: 'a' }, { data: { a: '1' } });
    const answer = await world.get(world.path('ConfigMap', namespace, 'a'), { accept: world.brand.names.protobuf });
    assert.equal(answer.headers['content-type'], world.brand.names.protobuf);
    assert.deepEqual(Buffer.from(answer.bytes.subarray(0, 4)), MAGIC);
    const unknown = fieldsOf(answer.bytes.subarray(4));
    const type = fieldsOf(unknown.get(1) ?? new Uint8Array());
    assert.deepEqual([type.get(1)?.toString(), type.get(2)?.toString()], ['v1', 'ConfigMap']);
    const object = fieldsOf(unknown.get(2) ?? new Uint8Array());
    const entry = fieldsOf(object.get(2) ?? new Uint8Array());
    assert.deepEqual([entry.get(1)?.toString(), entry.get(2)?.toString()], ['a', '1']);
    const policy = await world.get(world.path('NetworkPolicy', namespace), { accept: world.brand.names.protobuf });
    const listType = fieldsOf(fieldsOf(policy.bytes.subarray(4)).get(1) ?? new Uint8Array());
    assert.deepEqual([listType.get(1)?.toString(), listType.get(2)?.toString()], [`${world.brand.group('networking')}/v1`, 'NetworkPolicyList']);
  });

  test('R2.6-03 any field of the envelope may be absent: without typeMeta the path says what it is', async () => {
    const namespace = await world.namespace();
    const body = message(MAGIC, field(2, configMap('bare')));
    const made = expect(201, await world.post(world.path('ConfigMap', namespace), body, protobuf()));
    assert.deepEqual([made.kind, made.metadata.name, made.data], ['ConfigMap', 'bare', { a: '1' }]);
    const empty = await world.post(world.path('ConfigMap', namespace), message(MAGIC, field(1, typeMeta)), protobuf());
    // Nothing in it is an object without a name.
    expectFailure(422, 'Invalid', empty);
  });

  test('R2.6-04 R2.6-08 R2.6-09 typeMeta of a request counts: another kind or version is refused', async () => {
    const namespace = await world.namespace();
    const send = (type: Uint8Array) => world.post(world.path('ConfigMap', namespace), message(MAGIC, field(1, type), field(2, configMap('a'))), protobuf());
    expectFailure(400, 'BadRequest', await send(message(field(1, 'v1'), field(2, 'Secret'))));
    expectFailure(400, 'BadRequest', await send(message(field(1, 'v2'), field(2, 'ConfigMap'))));
    expect(201, await send(typeMeta));
  });

  test('R2.6-06 R2.6-07 an unset or empty contentEncoding and contentType mean plain protobuf; an encoding nobody knows is refused', async () => {
    const namespace = await world.namespace();
    const send = (name: string, ...tail: readonly Uint8Array[]) =>
      world.post(world.path('ConfigMap', namespace), message(MAGIC, field(1, typeMeta), field(2, configMap(name)), ...tail), protobuf());
    expect(201, await send('unset'));
    expect(201, await send('empty', field(3, ''), field(4, '')));
    const answer = await send('encoded', field(3, 'gzip'));
    assert.equal(answer.status, 400, answer.text);
    const shown = await world.get(world.path('ConfigMap', namespace, 'unset'), { accept: world.brand.names.protobuf });
    const unknown = fieldsOf(shown.bytes.subarray(4));
    assert.deepEqual([unknown.get(3)?.length ?? 0, unknown.get(4)?.length ?? 0], [0, 0]);
  });

  test('the data of a ControllerRevision has the bytes that it was sent with, in protobuf and in JSON: controllers compare them with what they would write', async () => {
    const namespace = await world.namespace();
    const path = `/apis/${world.brand.group('apps')}/v1/namespaces/${namespace}/controllerrevisions`;
    const data = String.raw`{"spec":{"template":{"$patch":"replace","spec":{"containers":[{"args":["-c","a \u0026\u0026 b \u003c c \u003e \"d\\e\" \u2028\u2029"]}]}}}}`;
    const type = message(field(1, `${world.brand.group('apps')}/v1`), field(2, 'ControllerRevision'));
    const revision = message(field(1, field(1, 'binary')), field(2, field(1, data)), Uint8Array.of(3 << 3, 1));
    expect(201, await world.post(path, message(MAGIC, field(1, type), field(2, revision)), protobuf()));
    expect(201, await world.post(path, `{"metadata":{"name":"text"},"data":${data},"revision":1}`, { 'content-type': 'application/json' }));
    for (const name of ['binary', 'text']) {
      const object = fieldsOf(fieldsOf((await world.get(`${path}/${name}`, { accept: world.brand.names.protobuf })).bytes.subarray(4)).get(2)!.subarray(0, -2));
      assert.equal(fieldsOf(object.get(2)!).get(1)?.toString(), data);
      const { text } = await world.get(`${path}/${name}`);
      assert.ok(text.includes(`"data":${data}`), text);
    }
  });

  test('R2.6-01 a body without the magic is no protobuf', async () => {
    const namespace = await world.namespace();
    for (const body of [configMap('a'), Buffer.from('k8s'), Buffer.from('k9s\0'), Buffer.from('{}')]) {
      expectFailure(400, 'BadRequest', await world.post(world.path('ConfigMap', namespace), body, protobuf()));
    }
  });
});
