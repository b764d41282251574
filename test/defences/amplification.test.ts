import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { TestAnswer } from '#testing';
import { brokenInto, refused } from '../robustness/judge.ts';

const server = brokenInto();
const PATH = '/api/v1/namespaces/default/configmaps';
const MIB = 1024 * 1024;
const made = (name: string, data: object = {}): Promise<TestAnswer> => server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

test('JSON patch amplification: 10,000 operations pass, one more fails', async () => {
  await made('operations');
  const operations = (count: number): object[] => Array.from({ length: count }, () => ({ op: 'add', path: '/data/k', value: 'v' }));
  const patch = (count: number): Promise<TestAnswer> => server().patch('json', `${PATH}/operations`, [{ op: 'add', path: '/data', value: {} }, ...operations(count - 1)]);
  assert.equal((await patch(10_000)).status, 200);
  const answer = await patch(10_001);
  refused(answer);
  assert.equal(answer.status, 413);
});

test('JSON patch amplification: copies that double what they copy are refused before they fill the memory', async () => {
  await made('copies', { k: 'x'.repeat(1000) });
  const doubling = Array.from({ length: 60 }, (_, n) => ({ op: 'copy', from: '/data', path: `/data/c${n}` }));
  refused(await server().patch('json', `${PATH}/copies`, doubling));
  const nesting = Array.from({ length: 60 }, (_, n) => ({ op: 'copy', from: '/metadata', path: `/metadata/c${n}` }));
  refused(await server().patch('json', `${PATH}/copies`, nesting));
  const { body } = await server().request('GET', `${PATH}/copies`);
  assert.deepEqual(Object.keys(body.data), ['k']);
});

test('JSON patch amplification: what copies add up to is bounded, not what one of them is', async () => {
  const size = 100_000;
  await made('sum', { k: 'x'.repeat(size) });
  const copies = (count: number): object[] => Array.from({ length: count }, () => ({ op: 'copy', from: '/data/k', path: '/data/c' }));
  const fitting = Math.floor((3 * MIB) / (size + 10));
  assert.equal((await server().patch('json', `${PATH}/sum`, copies(fitting))).status, 200);
  refused(await server().patch('json', `${PATH}/sum`, copies(fitting + 2)));
});

test('bodies: 3 MiB pass the door, one byte more does not, whether the length is said or not', async () => {
  const body = (bytes: number): string => {
    const head = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"full"}}';
    return head + ' '.repeat(bytes - head.length);
  };
  assert.equal((await server().request('POST', PATH, body(3 * MIB))).status, 201);
  const over = await server().request('POST', PATH, body(3 * MIB + 1));
  refused(over);
  assert.equal(over.status, 413);
});

test('compressed bodies are not unpacked: they are what they are, and that is no object', async () => {
  const object = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'packed' } });
  for (const [encoding, pack] of [['gzip', gzipSync], ['deflate', deflateSync], ['br', brotliCompressSync]] as const) {
    refused(await server().request('POST', PATH, pack(object), { 'content-encoding': encoding }));
  }
});

const yaml = (text: string, type = 'application/yaml'): Promise<TestAnswer> => server().request('POST', PATH, text, { 'content-type': type });
const yamlObject = (name: string, rest: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${rest}\n`;

test('YAML alias bombs: aliases that multiply are refused, a few are fine', async () => {
  assert.equal((await yaml(yamlObject('few', 'data:\n  a: &a text\n  b: *a\n  c: *a'))).status, 201);
  const levels = ['a: &a [x,x,x,x,x,x,x,x,x,x]', ...[...'bcdefghi'].map((name, n) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghi'[n]}`).join(',')}]`)];
  refused(await yaml(yamlObject('bomb', levels.join('\n'))));
  refused(await yaml(yamlObject('wide', `a: &a {${Array.from({ length: 1000 }, (_, n) => `k${n}: v`).join(', ')}}\nb: [${Array(2000).fill('*a').join(',')}]`)));
});

test('YAML alias bombs: a long text that is repeated fills no memory', async () => {
  const repeated = (times: number): string => `a: &a ${'x'.repeat(100_000)}\nb: [${Array(times).fill('*a').join(',')}]`;
  assert.equal((await yaml(yamlObject('repeated', repeated(10)))).status, 201);
  refused(await yaml(yamlObject('filling', repeated(10_000))));
});

test('YAML alias bombs: keys merged again and again count as well', async () => {
  const merges = ['a: &a {k1: v, k2: v, k3: v, k4: v}', ...[...'bcdefghijk'].map((name, n) => `${name}: &${name} {<<: [${Array(10).fill(`*${'abcdefghijk'[n]}`).join(',')}], x: {y: *${'abcdefghijk'[n]}, z: *${'abcdefghijk'[n]}}}`)];
  const answer = await yaml(yamlObject('merged', merges.join('\n')));
  assert.ok(answer.status === 400 || answer.status === 201, answer.text);
});

test('deep nesting: 512 levels inside of the object are read, 513 are not', async () => {
  const unknown = (depth: number): Promise<TestAnswer> => server().request('POST', `${PATH}?dryRun=All`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"unknown":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  assert.equal((await unknown(512)).status, 201);
  refused(await unknown(513));
});

test('deep nesting: protobuf messages inside one another are refused beyond a depth', async () => {
  const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
  const field = (number: number, content: Uint8Array): Buffer => Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(content.length)]), content]);
  const envelope = (raw: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from('k8s\0'), field(1, Buffer.concat([field(1, Buffer.from('apiextensions.orch.io/v1')), field(2, Buffer.from('CustomResourceDefinition'))])), field(2, raw)]);
  let schema: Buffer = field(5, Buffer.from('object'));
  // `not` of a schema is a schema.
  for (let depth = 0; depth < 5_000; depth++) schema = field(28, schema);
  const body = envelope(field(2, field(7, field(4, field(1, schema)))));
  const answer = await server().request('POST', '/apis/apiextensions.orch.io/v1/customresourcedefinitions', body, { 'content-type': 'application/vnd.orch.protobuf' });
  refused(answer);
  assert.match(answer.body.message as string, /nested deeper than 256 levels/);
});

test('protobuf length lies: a field that says it is longer than the message is refused without room being made for it', async () => {
  const head = Buffer.from('k8s\0');
  for (const lie of ['0affffffff0f', '12ffffffff07', '12808080808001', '0a80808080808080808001', '12ffffffffffffffffff01', '1205', '0a', '12ffffffffffffffffffff']) {
    refused(await server().request('POST', PATH, Buffer.concat([head, Buffer.from(lie, 'hex')]), { 'content-type': 'application/vnd.orch.protobuf' }));
  }
});

test('big amounts: quantities whose digits would fill the memory are refused', async () => {
  for (const amount of ['1e999999999', '1E-999999999', '1e1001', '9'.repeat(1_001), `0.${'0'.repeat(2_000)}1`, '1e99999999999999999999', `${'9'.repeat(100_000)}Ei`]) {
    const claim = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'big' }, spec: { hard: { pods: amount } } };
    refused(await server().request('POST', '/api/v1/namespaces/default/resourcequotas', claim));
  }
});

test('big numbers: JSON numbers of thousands of digits are refused or rounded, quickly', async () => {
  for (const number of ['1e999999999', '9'.repeat(100_000), `0.${'1'.repeat(100_000)}`, '-1e-999999999']) {
    const answer = await server().request('POST', '/api/v1/namespaces/default/configmaps', `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","generation":${number}}}`);
    assert.ok(answer.status < 500, answer.text);
    await server().request('DELETE', `${PATH}/n`);
  }
});
