import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { LimitRange, type LimitRange as Limits } from './limit-range.ts';
import { ResourceQuota, type ResourceQuota as Quota } from './resource-quota.ts';

const limits = (item: object): readonly string[] => write(LimitRange, { body: { spec: { limits: [item] } } }).causes;
const AT = 'spec.limits[0]';

test('LimitRange: what is missing follows from what is there', () => {
  const { spec } = write(LimitRange, { body: { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } } }).object as Limits;
  assert.deepEqual(spec.limits?.[0]?.default, { cpu: '2' });
  assert.deepEqual(spec.limits?.[0]?.defaultRequest, { memory: '1Mi', cpu: '2' });
});

const items: readonly (readonly [what: string, item: object, causes: readonly string[]])[] = [
  ['an unknown type', { type: 'Podx' }, [`Invalid ${AT}.type`]],
  ['min above max', { type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }, [`Invalid ${AT}.min[cpu]`]],
  ['defaults for pods', { type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }, [`Forbidden ${AT}.default`, `Forbidden ${AT}.defaultRequest`]],
  ['a claim without storage', { type: 'PersistentVolumeClaim' }, [`Required ${AT}.limits`]],
  ['a ratio below 1', { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }, [`Invalid ${AT}.maxLimitRequestRatio[cpu]`]],
  ['a ratio that cannot be', { type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }, [`Invalid ${AT}.maxLimitRequestRatio[cpu]`]],
];

for (const [what, item, causes] of items) test(`LimitRange: ${what}`, () => assert.deepEqual(limits(item), causes));

test('LimitRange: a name is made where there is none', () => {
  assert.deepEqual(write(LimitRange, { body: { metadata: { generateName: 'a-' }, spec: { limits: [] } } }).causes, []);
});

const quotas: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['pages of a size that is no name', { hard: { 'hugepages-2 Mi': '2Mi' } }, ['Invalid spec.hard[hugepages-2 Mi]']],
  ['good', { hard: { cpu: '1', pods: '10', 'example.com/x': '1', 'requests.hugepages-2Mi': '2Mi' } }, []],
  ['no such resource', { hard: { nope: '1' } }, ['Invalid spec.hard[nope]']],
  ['half a pod', { hard: { pods: '500m' } }, ['Invalid spec.hard[pods]']],
  ['scopes at odds', { scopes: ['BestEffort', 'NotBestEffort'] }, ['Invalid spec.scopes']],
  ['a scope that is for pods only', { hard: { cpu: '1' }, scopes: ['BestEffort'] }, ['Invalid spec.scopes']],
  ['a selector with values for a bare scope', { scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'In', values: ['x'] }] } }, ['Invalid spec.scopeSelector.matchExpressions.operator']],
];

for (const [what, spec, causes] of quotas) test(`ResourceQuota: ${what}`, () => assert.deepEqual(write(ResourceQuota, { body: { spec } }).causes, causes));

test('ResourceQuota: scopes stay', () => {
  const live = write(ResourceQuota, { body: { spec: { scopes: ['Terminating'] } } }).object;
  assert.deepEqual(write(ResourceQuota, { body: { spec: { scopes: ['NotTerminating'] } }, live }).causes, ['Invalid spec.scopes']);
});

test('R2.5-12 ResourceQuota: cells tell requests from limits', () => {
  const quota = write(ResourceQuota, { body: { status: { hard: { pods: '4', 'limits.cpu': '2', cpu: '1' }, used: { cpu: '500m' } } } }).object as Quota;
  assert.deepEqual(cellsOf(ResourceQuota, quota).slice(1), ['cpu: 500m/1, pods: 0/4', 'limits.cpu: 0/2']);
});
