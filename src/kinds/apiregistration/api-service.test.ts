import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { APIService, type APIService as Service } from './api-service.ts';

const SPEC = { group: 'g.io', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
const BACKEND = { namespace: 'n', name: 's' };
const made = (spec: object, name = 'v1.g.io'): { readonly object: unknown; readonly causes: readonly string[] } =>
  write(APIService, { body: { metadata: { name }, spec: { ...SPEC, ...spec } } });

const cases: readonly (readonly [title: string, spec: object, name: string, causes: readonly string[]])[] = [
  ['here', {}, 'v1.g.io', []],
  ['elsewhere', { service: BACKEND }, 'v1.g.io', []],
  ['the core', { group: '' }, 'v1.', []],
  ['another core', { group: '', version: 'v2' }, 'v2.', ['Required spec.group']],
  ['another name', {}, 'v2.g.io', ['Invalid metadata.name']],
  ['a bad group', { group: 'G' }, 'v1.G', ['Invalid spec.group']],
  ['a bad version', { version: '1' }, '1.g.io', ['Invalid spec.version']],
  ['no priority', { groupPriorityMinimum: 0, versionPriority: 0 }, 'v1.g.io', ['Invalid spec.groupPriorityMinimum', 'Invalid spec.versionPriority']],
  ['too much of it', { groupPriorityMinimum: 20_001, versionPriority: 1001 }, 'v1.g.io', ['Invalid spec.groupPriorityMinimum', 'Invalid spec.versionPriority']],
  ['trust in nobody', { caBundle: 'YQ==', insecureSkipTLSVerify: true }, 'v1.g.io', ['Invalid spec.caBundle', 'Invalid spec.insecureSkipTLSVerify']],
  ['trust and not', { service: BACKEND, caBundle: 'YQ==', insecureSkipTLSVerify: true }, 'v1.g.io', ['Invalid spec.insecureSkipTLSVerify']],
  ['nowhere', { service: {} }, 'v1.g.io', ['Required spec.service.namespace', 'Required spec.service.name']],
  ['a bad port', { service: { ...BACKEND, port: 70_000 } }, 'v1.g.io', ['Invalid spec.service.port']],
];

for (const [title, spec, name, causes] of cases) test(`APIService: ${title}`, () => assert.deepEqual(made(spec, name).causes, causes));

test('APIService: the name that is wanted is shown as clients know it', () => {
  const { messages } = write(APIService, { body: { metadata: { name: 'x' }, spec: { ...SPEC, version: 'v\u0001' } } });
  assert.equal(messages[0], 'Invalid value: "x": must be `spec.version+"."+spec.group`: "v\\x01.g.io"');
});

test('APIService: what is served here is available at once', () => {
  const here = made({}).object as Service;
  assert.deepEqual(here.status.conditions?.map(({ type, status, reason }) => [type, status, reason]), [['Available', 'True', 'Local']]);
  assert.deepEqual(cellsOf(APIService, here), ['Local', 'True']);
  const there = made({ service: BACKEND }).object as Service;
  assert.equal(there.spec.service?.port, 443);
  assert.deepEqual(cellsOf(APIService, there), ['n/s', 'Unknown']);
});

test('APIService: conditions are True, False or Unknown', () => {
  const live = made({ service: BACKEND }).object as Service;
  const body = { ...live, status: { conditions: [{ type: 'Available', status: 'False', reason: 'R' }, { type: 'X', status: 'Maybe' }] } };
  const { object, causes, messages } = write(APIService, { body, live, subresource: 'status' });
  assert.deepEqual(causes, ['NotSupported status.conditions[1].status']);
  assert.deepEqual(messages, ['Unsupported value: "Maybe": supported values: "True", "False", "Unknown"']);
  assert.equal(cellsOf(APIService, object)[1], 'False (R)');
  const available = (condition: object): unknown => cellsOf(APIService, { ...live, status: { conditions: [{ type: 'Available', ...condition }] } } as Service)[1];
  assert.deepEqual([available({ status: 'Unknown' }), available({ status: 'True', reason: 'R' })], ['Unknown', 'True']);
});
