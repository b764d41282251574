// After the tests of a file, `brokenInto` looks whether anything has reached `Object.prototype`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenInto, doneOrRefused, stillAnswers } from '../robustness/judge.ts';

const server = brokenInto();
const PATH = '/api/v1/namespaces/default/configmaps';
const POLLUTING = '{"polluted":"yes","isAdmin":"yes","x":"yes"}';

const configMap = (name: string, rest: string): string => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},${rest}}`;

test('prototype pollution: no body of any format reaches the prototype of objects', async () => {
  for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const inner = key === 'constructor' ? `{"prototype":${POLLUTING}}` : POLLUTING;
    for (const rest of [`"${key}":${inner}`, `"data":{"${key}":${inner}}`, `"metadata":{"${key}":${inner}}`]) {
      doneOrRefused(await server().request('POST', PATH, configMap('p', rest)));
      doneOrRefused(await server().request('POST', PATH, configMap('p', rest), { 'content-type': 'application/yaml' }));
      for (const form of ['merge', 'strategic'] as const) doneOrRefused(await server().patch(form, `${PATH}/p?fieldManager=m`, configMap('p', rest)), [500]);
      doneOrRefused(await server().patch('apply', `${PATH}/p?fieldManager=m&force=true`, configMap('p', rest)), [500]);
    }
    for (const path of [`/${key}/polluted`, `/data/${key}/polluted`, `/metadata/${key}/polluted`, `/metadata/labels/${key}`, `/constructor/prototype/polluted`]) {
      for (const operation of [{ op: 'add', path, value: 'yes' }, { op: 'copy', from: '/metadata/name', path }, { op: 'move', from: '/data', path }, { op: 'replace', path, value: 'yes' }]) {
        doneOrRefused(await server().patch('json', `${PATH}/p`, [operation]));
      }
    }
  }
  await stillAnswers(server());
});

test('prototype pollution: data, labels and annotations of such names are ordinary, in every format', async () => {
  const data = '{"__proto__":"own","constructor":"own","toString":"own"}';
  const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"ordinary","labels":{"constructor":"own"},"annotations":{"constructor":"own","toString":"own"}},"data":${data}}`;
  const made = await server().request('POST', PATH, text);
  assert.equal(made.status, 201, made.text);
  assert.ok(made.text.includes('"__proto__":"own"'), made.text);
  const protobuf = await server().request('GET', `${PATH}/ordinary`, undefined, { accept: 'application/vnd.orch.protobuf' });
  const put = await server().request('PUT', `${PATH}/ordinary`, protobuf.bytes, { 'content-type': 'application/vnd.orch.protobuf' });
  assert.equal(put.status, 200, put.text);
  const yaml = await server().request('GET', `${PATH}/ordinary`, undefined, { accept: 'application/yaml' });
  const again = await server().request('PUT', `${PATH}/ordinary`, yaml.bytes, { 'content-type': 'application/yaml' });
  assert.equal(again.status, 200, again.text);
  assert.deepEqual(new Map(Object.entries(again.body.data as object)), new Map([['__proto__', 'own'], ['constructor', 'own'], ['toString', 'own']]));
  const chosen = await server().request('GET', `${PATH}?labelSelector=constructor%3Down`);
  assert.equal(chosen.body.items.length, 1);
  const absent = await server().request('GET', `${PATH}?labelSelector=toString`);
  assert.equal(absent.body.items.length, 0);
});

test('prototype pollution: names like those of members of objects are unknown kinds, parameters and groups', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    for (const path of [`/api/v1/${name}`, `/apis/${name}/v1`, `/apis/apps/${name}`, `/${name}`, `${PATH}/${name}`, `/api/v1/namespaces/default/pods/x/${name}`, `/openapi/v3/${name}`]) {
      const answer = await server().request('GET', path);
      assert.equal(answer.status, 404, `${path} ${answer.text}`);
    }
    doneOrRefused(await server().request('GET', `${PATH}?${name}=1&labelSelector=${name}&fieldSelector=${name}%3Da`));
    doneOrRefused(await server().request('POST', PATH, `{"apiVersion":"${name}","kind":"${name}"}`));
    doneOrRefused(await server().request('GET', PATH, undefined, { accept: `application/json;as=${name};g=${name};v=${name}` }));
  }
});
