import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TestAnswer } from '#testing';
import { bounded, brokenInto, doneOrRefused, refused } from './judge.ts';

const server = brokenInto();
const PATH = '/api/v1/namespaces/default/configmaps';
const json = (text: string | Uint8Array): Promise<TestAnswer> => server().request('POST', PATH, text);
const yaml = (text: string | Uint8Array): Promise<TestAnswer> => server().request('POST', PATH, text, { 'content-type': 'application/yaml' });
const configMap = (rest: string): string => `{"apiVersion":"v1","kind":"ConfigMap",${rest}}`;

const BROKEN_JSON = [
  '{', '}', '[', '"', 'nul', 'tru', '{"a":}', '{"a" 1}', '{a:1}', "{'a':1}", '{"a":1,}', '[1,]', '1.', '.5', '01', '+1', '-', '1e', '1e999', 'NaN', 'Infinity',
  '"\\x"', '"\\u12"', '"\u0000"', '"a\nb"', '{} {}', '{}x', '/**/{}', '\uFEFF{}', '[]', '{}', 'null', '1', '"text"', 'true', ' ', '\n', '{"kind":null}',
  '{"kind":1}', '{"apiVersion":{}}', '{"metadata":[]}', '{"metadata":"x"}', '{"metadata":null}', '{"apiVersion":"v1","kind":"Secret"}', '\u0000',
  configMap('"metadata":{"name":1}'), configMap('"metadata":{"name":"a"},"data":[]'), configMap('"metadata":{"name":"a"},"data":{"a":null,"b":{}}'),
];

test('broken JSON, and JSON that is no object, are refused', async () => {
  for (const text of BROKEN_JSON) refused(await json(text));
});

test('every beginning of a valid body is refused', async () => {
  const whole = configMap('"metadata":{"name":"whole","labels":{"a":"b"}},"data":{"k":"\\u00e9\\n"}');
  for (let end = 0; end < whole.length; end++) refused(await json(whole.slice(0, end)));
});

test('any JSON value is done or refused', async () => {
  await fc.assert(fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => refused(await json(JSON.stringify(value) ?? ''))), bounded(150));
});

test('any bytes are refused, in every format', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
      refused(await json(bytes));
      refused(await yaml(bytes));
      refused(await server().request('POST', PATH, bytes, { 'content-type': 'application/vnd.orch.protobuf' }));
      const magic = Buffer.concat([Buffer.from('k8s\0'), bytes]);
      refused(await server().request('POST', PATH, magic, { 'content-type': 'application/vnd.orch.protobuf' }));
    }),
    bounded(150),
  );
});

test('a valid protobuf body with any bytes changed is done or refused', async () => {
  await server().request('POST', PATH, configMap('"metadata":{"name":"proto","labels":{"a":"b"}},"data":{"k":"v"}'));
  const accept = { accept: 'application/vnd.orch.protobuf' };
  const { bytes } = await server().request('GET', `${PATH}/proto`, undefined, accept);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }), async (changes) => {
      const broken = Uint8Array.from(bytes);
      for (const [at, byte] of changes) broken[at] = byte;
      // A version that is no number is a 500 in Kubernetes too.
      doneOrRefused(await server().request('PUT', `${PATH}/proto`, broken, { 'content-type': 'application/vnd.orch.protobuf' }), [500]);
    }),
    bounded(300),
  );
  for (let end = 0; end < bytes.length; end += 3) {
    doneOrRefused(await server().request('PUT', `${PATH}/proto`, bytes.slice(0, end), { 'content-type': 'application/vnd.orch.protobuf' }));
  }
});

const BROKEN_YAML = [
  ':', '- a\n- b', 'a: b: c', '{', '[', '"', "'", '&a', '*a', 'a: *b', '? ', '!!js/function x', '!!binary ===', '%YAML 9.9\n---\n', '\t- a', 'a:\n\t b',
  '--- \n--- \n', '&a [*a]', 'a: &a\n  b: *a', '<<: 1', '<<: {a: b}', '!<tag:yaml.org,2002:python/object> {}', '{a: 1, a: 2}', '|', '>', '? {a: b}\n: c',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 2020}', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yes}', '\u0000', '\ud800', '...',
];

test('broken YAML, and YAML that is no object of the kind, are refused', async () => {
  for (const text of BROKEN_YAML) refused(await yaml(text));
});

test('YAML whose aliases would grow without end is refused quickly', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 12; level++) lines.push(`a${level}: &a${level} [${Array(9).fill(`*a${level - 1}`).join(', ')}]`);
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bomb\ndata:\n  ${lines.join('\n  ')}\n`;
  refused(await yaml(text));
  refused(await server().request('PATCH', `${PATH}/bomb?fieldManager=m`, text, { 'content-type': 'application/apply-patch+yaml' }));
});

test('nesting without end is refused, in every format and as a patch', async () => {
  assert.equal((await json(configMap('"metadata":{"name":"patched"}'))).status, 201);
  for (const depth of [1_000, 20_000, 400_000]) {
    for (const [open, close] of [['[', ']'], ['{"a":', '}']] as const) {
      const nested = `${open.repeat(depth)}1${close.repeat(depth)}`;
      refused(await json(nested));
      refused(await json(configMap(`"metadata":{"name":"deep"},"data":${nested}`)));
      refused(await json(configMap(`"metadata":${nested}`)));
      for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml']) {
        refused(await server().request('PATCH', `${PATH}/patched?fieldManager=m`, nested, { 'content-type': `application/${type}` }));
      }
    }
  }
  for (const depth of [1_000, 20_000]) {
    refused(await yaml('['.repeat(depth)));
    refused(await yaml(`${'[\n'.repeat(depth)}${']'.repeat(depth)}`));
    refused(await yaml(Array.from({ length: Math.min(depth, 1_500) }, (_, at) => `${' '.repeat(at)}a:`).join('\n')));
    refused(await yaml(`${'- '.repeat(depth)}a`));
  }
});

test('an unknown field may hold deep values as long as they are bounded; they are dropped', async () => {
  const nested = '['.repeat(100) + ']'.repeat(100);
  const answer = await json(configMap(`"metadata":{"name":"unknown"},"unknown":${nested}`));
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.unknown, undefined);
});

test('broken UTF-8 never gets in as broken text', async () => {
  const sequences = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80]];
  for (const [at, sequence] of sequences.entries()) {
    const name = `utf8-${at}`;
    const head = Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"k":"a`);
    const answer = await json(Buffer.concat([head, Buffer.from(sequence), Buffer.from('b"}}')]));
    doneOrRefused(answer);
    if (answer.status !== 201) continue;
    const read = await server().request('GET', `${PATH}/${name}`);
    assert.doesNotThrow(() => new TextDecoder('utf-8', { fatal: true }).decode(read.bytes));
    assert.match(read.body.data.k, /^a\ufffd+b$/);
  }
});

test('half a surrogate pair stays text that can be read', async () => {
  const answer = await json(configMap('"metadata":{"name":"surrogate"},"data":{"k":"\\ud800"}'));
  doneOrRefused(answer);
  const read = await server().request('GET', `${PATH}/surrogate`);
  assert.doesNotThrow(() => new TextDecoder('utf-8', { fatal: true }).decode(read.bytes));
});

test('bodies over the limit are refused with 413, whatever the verb', async () => {
  const large = ' '.repeat(3 * 1024 * 1024 + 1);
  for (const [method, path, type] of [
    ['POST', PATH, 'application/json'], ['POST', PATH, 'application/yaml'], ['PUT', `${PATH}/a`, 'application/json'],
    ['PATCH', `${PATH}/a`, 'application/merge-patch+json'], ['DELETE', `${PATH}/a`, 'application/json'], ['DELETE', PATH, 'application/json'],
  ] as const) {
    const answer = await server().request(method, path, large, { 'content-type': type });
    refused(answer);
    assert.equal(answer.status, 413);
  }
});

test('thousands of labels are kept or refused; too many bytes of annotations are refused', async () => {
  const labels = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`l${at}`, 'v']));
  const made = await server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'labels', labels } });
  assert.equal(made.status, 201);
  assert.equal(Object.keys(made.body.metadata.labels).length, 5_000);
  refused(await server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'notes', annotations: { a: 'x'.repeat(300_000) } } }));
  const requirements = Array.from({ length: 2_000 }, (_, at) => `l${at}=v`).join(',');
  doneOrRefused(await server().request('GET', `${PATH}?labelSelector=${encodeURIComponent(requirements)}`));
});
