import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { MutatingWebhookConfiguration, type MutatingWebhookConfiguration as Mutating } from './mutating-webhook-configuration.ts';
import { ValidatingWebhookConfiguration as Validating } from './validating-webhook-configuration.ts';

const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const HOOK = {
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/x' },
  rules: [RULE],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const SERVICE = { namespace: 'n', name: 's' };
const W = 'webhooks[0]';

const rule = (more: object): object => ({ rules: [{ ...RULE, ...more }] });
const url = (text: string): object => ({ clientConfig: { url: text } });
const service = (more: object): object => ({ clientConfig: { service: { ...SERVICE, ...more } } });

const cases: readonly (readonly [title: string, hook: object, causes: readonly string[]])[] = [
  ['as it should be', {}, []],
  ['no name', { name: '' }, [`Required ${W}.name`]],
  ['a short name', { name: 'a.b' }, [`Invalid ${W}.name`]],
  ['nowhere', { clientConfig: {} }, [`Required ${W}.clientConfig`]],
  ['at two places', { clientConfig: { url: 'https://a', service: SERVICE } }, [`Required ${W}.clientConfig`]],
  ['no TLS', url('http://example.com'), [`Invalid ${W}.clientConfig.url`]],
  ['no scheme before its colon', url('::1'), [`Required ${W}.clientConfig.url`]],
  ['a colon in the first segment', url('1a:b/c'), [`Required ${W}.clientConfig.url`]],
  ['a host of one letter', url('https://a'), []],
  ['no host and no scheme', url('///x'), [`Invalid ${W}.clientConfig.url`]],
  ['no host', url('https:///x'), [`Invalid ${W}.clientConfig.url`]],
  ['a user', url('https://me@example.com'), [`Invalid ${W}.clientConfig.url`]],
  ['a fragment', url('https://example.com#x'), [`Invalid ${W}.clientConfig.url`]],
  ['parameters', url('https://example.com?x=y'), [`Invalid ${W}.clientConfig.url`]],
  ['a host in UTF-8, a port out of range, and an escape', url('https://é.example:99999/%20'), []],
  ['an address with a zone', url('https://[fe80::1%25en0]:443'), []],
  ['a control character in a fragment', url('https://a#\u0001'), [`Invalid ${W}.clientConfig.url`]],
  ['no slash behind the scheme', url('https:a:b'), [`Invalid ${W}.clientConfig.url`]],
  ...['https://a:b/', 'https://a b', 'https://a\\b', 'https://a%41', 'https://[::1', 'https://[::1]443', 'https://[fe80::1%en0]', 'https://a/%zz', 'https://a#%', 'https://a/\u0001', 'https://a b@c'].map(
    (text) => [`the URL ${JSON.stringify(text)}`, url(text), [`Required ${W}.clientConfig.url`]] as const,
  ),
  ['a service', service({ path: '/a/b/' }), []],
  ['a service without name', service({ name: '' }), [`Required ${W}.clientConfig.service.namespace`]],
  ['a service without namespace', service({ namespace: '' }), [`Required ${W}.clientConfig.service.name`]],
  ['a port', service({ port: 0 }), [`Invalid ${W}.clientConfig.service.port`]],
  ['an empty segment', service({ path: '/a//b' }), [`Invalid ${W}.clientConfig.service.path`]],
  ['a bad segment', service({ path: '/A' }), [`Invalid ${W}.clientConfig.service.path`]],
  ['only slashes', service({ path: '//' }), [`Invalid ${W}.clientConfig.service.path`]],
  ['a relative path', service({ path: 'a' }), [`Invalid ${W}.clientConfig.service.path`]],
  ['no operations', rule({ operations: [] }), [`Required ${W}.rules[0].operations`]],
  ['all operations and one', rule({ operations: ['*', 'CREATE'] }), [`Invalid ${W}.rules[0].operations`]],
  ['an unknown operation', rule({ operations: ['GET'] }), [`NotSupported ${W}.rules[0].operations[0]`]],
  ['all groups and one', rule({ apiGroups: ['*', 'apps'] }), [`Invalid ${W}.rules[0].apiGroups`]],
  ['an empty version', rule({ apiVersions: [''] }), [`Required ${W}.rules[0].apiVersions[0]`]],
  ['an empty resource', rule({ resources: [''] }), [`Required ${W}.rules[0].resources[0]`]],
  ['a subresource that is covered', rule({ resources: ['pods/*', 'pods/log'] }), [`Invalid ${W}.rules[0].resources[1]`]],
  ['a subresource of all that is covered', rule({ resources: ['*/log', 'pods/log'] }), [`Invalid ${W}.rules[0].resources[1]`]],
  ['everything and something', rule({ resources: ['*/*', 'pods'] }), [`Invalid ${W}.rules[0].resources`]],
  ['all resources and one', rule({ resources: ['*', 'pods'] }), [`Invalid ${W}.rules[0].resources`]],
  ['all resources and a subresource', rule({ resources: ['*', 'pods/log'] }), []],
  ['everything, each by one word', rule({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }), []],
  ['subresources of nothing', rule({ resources: ['/log', '/*', '/log'] }), [`Invalid ${W}.rules[0].resources[2]`]],
  ['a scope', rule({ scope: 'World' }), [`NotSupported ${W}.rules[0].scope`]],
  ['a failure policy', { failurePolicy: 'Maybe' }, [`NotSupported ${W}.failurePolicy`]],
  ['a match policy', { matchPolicy: 'Maybe' }, [`NotSupported ${W}.matchPolicy`]],
  ['side effects unsaid', { sideEffects: undefined }, [`Required ${W}.sideEffects`]],
  ['side effects', { sideEffects: 'Some' }, [`NotSupported ${W}.sideEffects`]],
  ['the longest wait', { timeoutSeconds: 30 }, []],
  ['no wait', { timeoutSeconds: 0 }, [`Invalid ${W}.timeoutSeconds`]],
  ['a long wait', { timeoutSeconds: 31 }, [`Invalid ${W}.timeoutSeconds`]],
  ['no review version', { admissionReviewVersions: [] }, [`Required ${W}.admissionReviewVersions`]],
  ['a future review version', { admissionReviewVersions: ['v2'] }, [`Invalid ${W}.admissionReviewVersions`]],
  ['a version twice', { admissionReviewVersions: ['v1', 'v1'] }, [`Invalid ${W}.admissionReviewVersions[1]`]],
  ['a selector', { objectSelector: { matchLabels: { 'a b': 'c' } } }, [`Invalid ${W}.objectSelector.matchLabels`]],
];

for (const [title, hook, causes] of cases) {
  test(`webhook: ${title}`, () => {
    const body = { webhooks: [{ ...HOOK, ...hook }] };
    assert.deepEqual(write(Validating, { body }).causes, causes);
    assert.deepEqual(write(MutatingWebhookConfiguration, { body }).causes, causes);
  });
}

test('webhook: defaults', () => {
  const { object } = write(MutatingWebhookConfiguration, { body: { webhooks: [{ ...HOOK, ...service({}) }] } });
  const [hook] = (object as Mutating).webhooks ?? [];
  assert.deepEqual(
    [hook?.failurePolicy, hook?.matchPolicy, hook?.timeoutSeconds, hook?.reinvocationPolicy, hook?.namespaceSelector, hook?.objectSelector],
    ['Fail', 'Equivalent', 10, 'Never', {}, {}],
  );
  assert.deepEqual([hook?.clientConfig.service?.port, hook?.rules?.[0]?.scope], [443, '*']);
});

test('webhook: what is said of the path of a service', () => {
  const said = (path: string): readonly string[] => write(Validating, { body: { webhooks: [{ ...HOOK, ...service({ path }) }] } }).messages;
  assert.deepEqual(said('/a//b'), ['Invalid value: "/a//b": segment[1] may not be empty']);
  assert.deepEqual(said('a'), [`Invalid value: "a": must start with a '/'`, 'Invalid value: "a": segment[0] may not be empty']);
});

test('webhook: names are unique, and only mutating ones are asked again', () => {
  const nameless = { ...HOOK, name: '' };
  assert.deepEqual(write(Validating, { body: { webhooks: [nameless, nameless] } }).causes, ['Required webhooks[0].name', 'Required webhooks[1].name']);
  const { object: twice } = write(Validating, { body: { webhooks: [HOOK, HOOK] } });
  assert.deepEqual(write(Validating, { body: { webhooks: [HOOK, HOOK, HOOK] }, live: twice }).causes, []);
  assert.deepEqual(write(Validating, { body: { webhooks: [HOOK, HOOK] } }).causes, ['Duplicate webhooks[1].name']);
  const again = { webhooks: [{ ...HOOK, reinvocationPolicy: 'Often' }] };
  assert.deepEqual(write(MutatingWebhookConfiguration, { body: again }).causes, ['NotSupported webhooks[0].reinvocationPolicy']);
  const slow = { webhooks: [{ ...again.webhooks[0], timeoutSeconds: 31 }] };
  assert.deepEqual(write(MutatingWebhookConfiguration, { body: slow }).causes, [`Invalid ${W}.timeoutSeconds`, `NotSupported ${W}.reinvocationPolicy`]);
  assert.deepEqual(write(Validating, { body: again }).causes, []);
});

test('webhook: what a live configuration does not keep, an update need not keep', () => {
  const body = { webhooks: [{ ...HOOK, sideEffects: 'Some', admissionReviewVersions: ['v2'] }] };
  const { object: live } = write(Validating, { body });
  assert.deepEqual(write(Validating, { body, live }).causes, []);
  const { object: good } = write(Validating, { body: { webhooks: [HOOK] } });
  assert.deepEqual(write(Validating, { body, live: good }).causes, [`NotSupported ${W}.sideEffects`, `Invalid ${W}.admissionReviewVersions`]);
});

test('R2.5-12 webhook: the column counts', () => {
  assert.deepEqual(cellsOf(Validating, write(Validating, { body: { webhooks: [HOOK] } }).object), [1]);
});
