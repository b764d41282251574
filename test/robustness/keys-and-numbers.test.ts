import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TEST_TOKENS } from '#testing';
import { bounded, brokenInto, doneOrRefused, refused, stillAnswers } from './judge.ts';

const server = brokenInto();
const PATH = '/api/v1/namespaces/default/configmaps';
const STRANGE = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

/** Written by hand: an object literal would set the prototype. */
const members = (value: string): string => STRANGE.map((key) => `${JSON.stringify(key)}:${value}`).join(',');
const YAML_TYPE = { 'content-type': 'application/yaml' };
let count = 0;
const fresh = (): string => `k-${(count += 1)}`;

/** What `__proto__` and its like must still be after any way in: own members with their value. */
function holdsAll(map: object, value: string): void {
  assert.deepEqual(Object.keys(map).filter((key) => STRANGE.includes(key)).sort(), [...STRANGE].sort());
  for (const key of STRANGE) assert.equal(Object.getOwnPropertyDescriptor(map, key)?.value, value);
}

test('__proto__, constructor and their like are ordinary keys of data, annotations and binary data, in every format', async () => {
  const name = fresh();
  // Labels and annotations begin and end with a letter or digit: of the strange names those without underscores are legal there.
  const legal = '"constructor":"v","toString":"v","valueOf":"v","hasOwnProperty":"v"';
  const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{${legal}},"annotations":{${legal}}},"data":{${members('"v"')}}}`;
  const made = await server().request('POST', PATH, body);
  assert.equal(made.status, 201, made.text);
  holdsAll(made.body.data, 'v');
  for (const type of ['application/json', 'application/yaml', 'application/vnd.orch.protobuf']) {
    const read = await server().request('GET', `${PATH}/${name}`, undefined, { accept: type });
    const put = await server().request('PUT', `${PATH}/${name}`, read.bytes, { 'content-type': type });
    assert.equal(put.status, 200, put.text);
    holdsAll(put.body.data, 'v');
    assert.deepEqual(Object.keys(put.body.metadata.labels).sort(), ['constructor', 'hasOwnProperty', 'toString', 'valueOf']);
    assert.deepEqual(Object.keys(put.body.metadata.annotations).sort(), ['constructor', 'hasOwnProperty', 'toString', 'valueOf']);
    assert.equal(put.body.metadata.resourceVersion, made.body.metadata.resourceVersion, `${type} changed something`);
  }
  const found = await server().request('GET', `${PATH}?labelSelector=constructor%3Dv`);
  assert.equal(found.body.items.length, 1);
  assert.equal((await server().request('GET', `${PATH}?labelSelector=isPrototypeOf`)).body.items.length, 0);
});

test('a whole number beyond 2^53 where a word belongs is refused as a small one is', async () => {
  const name = fresh();
  await server().request('POST', PATH, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"a":"1"}}`);
  const rows = [
    ['json', (number: string) => `[{"op":${number},"path":"/data/a"}]`],
    ['json', (number: string) => `[{"op":"add","path":${number}}]`],
    ['strategic', (number: string) => `{"metadata":{"$patch":${number}}}`],
    ['strategic', (number: string) => `{"metadata":{"finalizers":[],"ownerReferences":[{"uid":"u","$patch":${number}}]}}`],
    ['strategic', (number: string) => `{"metadata":{"$retainKeys":${number}}}`],
    ['strategic', (number: string) => `{"metadata":{"$setElementOrder/finalizers":${number}}}`],
    ['apply', (number: string) => `{"apiVersion":${number},"kind":"ConfigMap","metadata":{"name":"${name}"}}`],
    ['apply', (number: string) => `{"apiVersion":"v1","kind":${number},"metadata":{"name":"${name}"}}`],
    ['apply', (number: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","finalizers":[{"a":${number}}]}}`],
  ] as const;
  for (const [form, bodyOf] of rows) {
    const [small, large] = await Promise.all(['12', '9007199254740993'].map((number) => server().patch(form, `${PATH}/${name}?fieldManager=m`, bodyOf(number))));
    assert.equal(large?.status, small?.status, `${form} ${bodyOf('12')}: ${small?.text} ${large?.text}`);
    assert.equal(large?.body.message.replaceAll('9007199254740993', '12'), small?.body.message);
  }
});

test('every kind of patch sets and removes them as data', async () => {
  for (const form of ['merge', 'strategic', 'apply', 'json'] as const) {
    const name = fresh();
    const path = `${PATH}/${name}`;
    await server().request('POST', PATH, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"a":"1"}}`);
    const whole = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{${members('"v"')}}}`;
    const body = form === 'json' ? `[${STRANGE.map((key) => `{"op":"add","path":"/data/${key}","value":"v"}`).join()}]` : whole;
    const patched = await server().patch(form, `${path}?fieldManager=m`, body);
    assert.equal(patched.status, 200, `${form}: ${patched.text}`);
    holdsAll(patched.body.data, 'v');
    if (form === 'apply') continue;
    const less = form === 'json' ? `[${STRANGE.map((key) => `{"op":"remove","path":"/data/${key}"}`).join()}]` : `{"data":{${members('null')}}}`;
    const removed = await server().patch(form, path, less);
    assert.deepEqual(Object.keys(removed.body.data ?? {}), ['a'], `${form}: ${removed.text}`);
  }
});

test('nothing sent anywhere reaches Object.prototype', async () => {
  const poison = ['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'];
  for (const value of poison) {
    const inside = value.slice(1, -1);
    for (const body of [
      value, `{"metadata":${value}}`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${fresh()}",${inside}},${inside}}`,
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${fresh()}","labels":${value}}}`,
    ]) {
      doneOrRefused(await server().request('POST', PATH, body));
      doneOrRefused(await server().request('POST', PATH, body, YAML_TYPE));
      for (const form of ['merge', 'strategic'] as const) doneOrRefused(await server().patch(form, `${PATH}/k-1`, body));
      // As in Kubernetes, an applied field that the schema does not have is a failure of the server.
      doneOrRefused(await server().patch('apply', `${PATH}/k-1?fieldManager=m`, body), [500]);
    }
    for (const at of ['/__proto__/polluted', '/constructor/prototype/polluted', '/metadata/__proto__/polluted', '/data/__proto__/polluted', '/data/constructor/prototype/polluted']) {
      for (const op of ['add', 'replace', 'test', 'remove']) refused(await server().patch('json', `${PATH}/k-1`, [{ op, path: at, value: true }]));
      refused(await server().patch('json', `${PATH}/k-1`, [{ op: 'copy', from: '/metadata', path: at }]));
    }
  }
  for (const query of ['__proto__[polluted]=1', 'constructor=1&__proto__=2', 'fieldSelector=__proto__%3D1', 'labelSelector=a.b%2F__proto__']) {
    doneOrRefused(await server().request('GET', `${PATH}?${query}`));
  }
  await stillAnswers(server());
});

test('names that objects have from birth are no kinds, groups, versions, subresources or methods', async () => {
  const daemonSets = '/apis/apps/v1/namespaces/default/daemonsets';
  const spec = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } };
  assert.equal((await server().request('POST', daemonSets, { metadata: { name: 'd' }, spec })).status, 201);
  for (const word of STRANGE) {
    for (const method of ['GET', 'PUT', 'PATCH']) refused(await server().request(method, `${daemonSets}/d/${word}`, method === 'GET' ? undefined : '{}'));
    refused(await server().request(word, PATH));
    const refusal = await server().request(word, PATH, undefined, { authorization: `Bearer ${TEST_TOKENS.bob}` });
    assert.equal(refusal.status, 403);
    assert.doesNotMatch(refusal.text, /native code|\[object/);
    for (const path of [`/api/${word}/configmaps`, `/apis/${word}/v1/x`, `/api/v1/${word}`, `${PATH}/k-1/${word}`, `/api/v1/namespaces/${word}`, `/${word}`, `/healthz/${word}`, `/apis/${word}`]) {
      const answer = await server().request('GET', path);
      assert.equal(answer.status, 404, `${path}: ${answer.text}`);
    }
    doneOrRefused(await server().request('GET', PATH, undefined, { accept: word }));
    refused(await server().request('POST', PATH, '{}', { 'content-type': word }));
    refused(await server().request('PATCH', `${PATH}/k-1`, '{}', { 'content-type': word }));
    doneOrRefused(await server().request('GET', PATH, undefined, { [word === '__proto__' ? 'x-proto' : word]: 'x' }));
  }
});

test('what the server makes of the largest integers still fits 64 bits, and the object can be written and removed', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const largest = '9223372036854775807';
  await server().request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const held = (rest: string, generation = '1'): string => `{"metadata":{"name":"${fresh()}","generation":${generation},"finalizers":["example.com/held"]},${rest}}`;
  const pod = (grace: string): string => held(`"spec":{"nodeName":"n","containers":[{"name":"c","image":"i:1"}],"terminationGracePeriodSeconds":${grace}}`);
  for (const [path, object, options, expected] of [
    [pods, pod(largest), undefined, ['2', '9007199254740991']],
    [pods, pod('30'), `{"gracePeriodSeconds":${largest}}`, ['2', '9007199254740991']],
    [pods, pod('30'), `{"gracePeriodSeconds":-${largest}}`, ['2', '1']],
    [PATH, held('"data":{}', largest), undefined, [largest, '0']],
    [PATH, held('"data":{}', '9007199254740991'), undefined, ['9007199254740992', '0']],
    [PATH, held('"data":{}', '9007199254740993'), undefined, ['9007199254740994', '0']],
  ] as const) {
    const made = await server().request('POST', path, object);
    assert.equal(made.status, 201, made.text);
    const item = `${path}/${made.body.metadata.name}`;
    const leaving = await server().request('DELETE', item, options);
    assert.deepEqual([leaving.status, ...['generation', 'deletionGracePeriodSeconds'].map((name) => new RegExp(`"${name}":(-?[0-9.e+]+)`).exec(leaving.text)?.[1])], [200, ...expected], leaving.text);
    const released = await server().patch('merge', item, { metadata: { finalizers: null } });
    assert.equal(released.status, 200, released.text);
    await server().request('DELETE', `${item}?gracePeriodSeconds=0`);
    assert.equal((await server().request('GET', item)).status, 404, item);
  }
});

test('a change of a driver whose generation is the largest leaves it so, and a table shows every digit of a revision', async () => {
  const largest = '9223372036854775807';
  const drivers = '/apis/storage.orch.io/v1/csidrivers';
  const made = await server().request('POST', drivers, `{"metadata":{"name":"${fresh()}","generation":${largest}},"spec":{}}`);
  assert.equal(made.status, 201, made.text);
  const changed = await server().patch('merge', `${drivers}/${made.body.metadata.name}`, { spec: { requiresRepublish: true } });
  assert.equal(changed.status, 200, changed.text);
  assert.ok(changed.text.includes(`"generation":${largest},`), changed.text);
  const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const revision = await server().request('POST', revisions, `{"metadata":{"name":"${fresh()}"},"data":{},"revision":${largest}}`);
  assert.equal(revision.status, 201, revision.text);
  const table = await server().request('GET', revisions, undefined, { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' });
  assert.ok(table.text.includes(`,${largest},`), table.text);
});

test('integers beyond 2^53 keep every digit or are refused, never changed', async () => {
  const path = '/apis/apps/v1/namespaces/default/daemonsets';
  const daemonSet = (grace: string): string =>
    `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"${fresh()}"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},` +
    `"spec":{"containers":[{"name":"c","image":"i:1"}],"terminationGracePeriodSeconds":${grace}}}}}`;
  for (const digits of ['9007199254740993', '9223372036854775807', '4611686018427387905']) {
    const made = await server().request('POST', path, daemonSet(digits));
    assert.equal(made.status, 201, made.text);
    assert.ok(made.text.includes(`"terminationGracePeriodSeconds":${digits}`), made.text);
    const item = `${path}/${made.body.metadata.name}`;
    for (const type of ['application/json', 'application/yaml', 'application/vnd.orch.protobuf']) {
      const read = await server().request('GET', item, undefined, { accept: type });
      const put = await server().request('PUT', item, read.bytes, { 'content-type': type });
      assert.equal(put.body.metadata.resourceVersion, made.body.metadata.resourceVersion, `${type} changed ${digits}`);
    }
    const patched = await server().patch('merge', item, { metadata: { labels: { x: 'y' } } });
    assert.ok(patched.text.includes(`"terminationGracePeriodSeconds":${digits}`), patched.text);
  }
  for (const wrong of ['9223372036854775808', '-9223372036854775809', '1e30', '123456789012345678901234567890', '1.5', '1e-1', '"5"']) {
    refused(await server().request('POST', path, daemonSet(wrong)));
  }
  refused(await server().request('POST', '/apis/scheduling.orch.io/v1/priorityclasses', '{"metadata":{"name":"big"},"value":9007199254740993}'));
});

test('data holds any text there is, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.stringMatching(/^[-._a-zA-Z0-9]{1,20}$/), fc.string({ unit: 'binary', maxLength: 30, size: 'max' }), { noNullPrototype: true, maxKeys: 5 }), async (data) => {
      const legal = Object.fromEntries(Object.entries(data).filter(([key]) => key !== '.' && !key.startsWith('..')));
      const name = fresh();
      const made = await server().request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: legal });
      assert.equal(made.status, 201, made.text);
      for (const type of ['application/yaml', 'application/vnd.orch.protobuf']) {
        const read = await server().request('GET', `${PATH}/${name}`, undefined, { accept: type });
        const put = await server().request('PUT', `${PATH}/${name}`, read.bytes, { 'content-type': type });
        assert.equal(put.status, 200, put.text);
        assert.deepEqual(put.body.data ?? {}, legal);
      }
    }),
    bounded(60),
  );
});
