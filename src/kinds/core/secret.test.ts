import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { Secret, type Secret as SecretObject } from './secret.ts';

const { names } = brandOf('orch');
const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

const cases: readonly { readonly title: string; readonly body: object; readonly causes: readonly string[] }[] = [
  { title: 'any type of its own', body: { type: 'a/b' }, causes: [] },
  { title: 'bad key', body: { data: { 'a b': 'AAEC' } }, causes: ['Invalid data[a b]'] },
  { title: 'too big', body: { stringData: { a: 'x'.repeat(1024 * 1024 + 1) } }, causes: ['TooLong data'] },
  {
    title: 'token without account',
    body: { type: names.serviceAccountTokenSecret },
    causes: ['Required metadata.annotations[orch.io/service-account.name]'],
  },
  {
    title: 'token with account',
    body: { type: names.serviceAccountTokenSecret, metadata: { annotations: { 'orch.io/service-account.name': 'a' } } },
    causes: [],
  },
  { title: 'dockercfg without content', body: { type: names.dockercfgSecret }, causes: ['Required data[.dockercfg]'] },
  { title: 'dockercfg', body: { type: names.dockercfgSecret, data: { '.dockercfg': json({}) } }, causes: [] },
  {
    title: 'dockerconfigjson that is no JSON',
    body: { type: names.dockerConfigJsonSecret, data: { '.dockerconfigjson': 'AAEC' } },
    causes: ['Invalid data[.dockerconfigjson]'],
  },
  {
    title: 'dockerconfigjson that is no object',
    body: { type: names.dockerConfigJsonSecret, data: { '.dockerconfigjson': json([]) } },
    causes: ['Invalid data[.dockerconfigjson]'],
  },
  {
    title: 'basic-auth with neither',
    body: { type: names.basicAuthSecret },
    causes: ['Required data[%s][username]', 'Required data[%s][password]'],
  },
  { title: 'basic-auth with one', body: { type: names.basicAuthSecret, data: { password: '' } }, causes: [] },
  {
    title: 'ssh-auth with an empty key',
    body: { type: names.sshAuthSecret, data: { 'ssh-privatekey': '' } },
    causes: ['Required data[%s][ssh-privatekey]'],
  },
  { title: 'tls without key', body: { type: names.tlsSecret, data: { 'tls.crt': '' } }, causes: ['Required data[tls.key]'] },
  { title: 'the types of the other dialect mean nothing', body: { type: 'kubernetes.io/tls' }, causes: [] },
];

for (const { title, body, causes } of cases) {
  test(`Secret: ${title}`, () => assert.deepEqual(write(Secret, { body }).causes, causes));
}

test('Secret: the types are those of the dialect', () => {
  assert.deepEqual(write(Secret, { body: { type: 'kubernetes.io/tls' }, dialect: 'kubernetes' }).causes, [
    'Required data[tls.crt]',
    'Required data[tls.key]',
  ]);
});

test('Secret: stringData becomes data and overrides it; no type means Opaque', () => {
  const { object } = write(Secret, { body: { data: { a: 'AAEC', b: 'AAEC' }, stringData: { a: 'é', c: '' } } });
  const { type, data, stringData } = object as SecretObject;
  assert.deepEqual([type, { ...data }, stringData], ['Opaque', { a: 'w6k=', b: 'AAEC', c: '' }, undefined]);
});

test('Secret: a key called __proto__ is a key like others', () => {
  const body: unknown = JSON.parse('{"stringData":{"__proto__":"x"}}');
  const { object } = write(Secret, { body: body as object });
  assert.deepEqual(Object.entries((object as { data?: object }).data ?? {}), [['__proto__', 'eA==']]);
});

test('Secret: the type stays; once immutable, the data too', () => {
  const live = write(Secret, { body: { type: 'a/b', data: { k: 'AAEC' }, immutable: true } }).object;
  assert.deepEqual(write(Secret, { body: { data: { k: 'AAEC' }, immutable: true }, live }).causes, ['Invalid type']);
  assert.deepEqual(write(Secret, { body: { type: 'a/b', data: {}, immutable: true }, live }).causes, ['Forbidden data']);
  assert.deepEqual(write(Secret, { body: { type: 'a/b', data: { k: 'AAEC' } }, live }).causes, ['Forbidden immutable']);
  assert.deepEqual(write(Secret, { body: { type: 'a/b', data: { k: 'AAEC' }, immutable: true }, live }).causes, []);
});

test('R2.5-12 Secret: columns and selectable fields', () => {
  const { object } = write(Secret, { body: { stringData: { a: '', b: '' } } });
  assert.deepEqual(cellsOf(Secret, object), ['Opaque', 2]);
  assert.deepEqual(Secret.select?.(object as never), { type: 'Opaque' });
});
