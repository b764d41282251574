import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { LimitRange, type LimitRange as Limits } from './limit-range.ts';
import { ResourceQuota, type ResourceQuota as Quota } from './resource-quota.ts';

const limits = (item: object): readonly string[] => write(LimitRange, { body: { spec: { limits: [item] } } }).causes;
const AT = 'spec.limits[0]';
const PAGES = 'hugepages-2Mi';
/** A type of somebody's own: nothing follows from what is there. */
const OWN = 'example.com/disk';

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
  ['a ratio that thousandths keep to', { type: 'Pod', min: { cpu: '100m' }, max: { cpu: '300m' }, maxLimitRequestRatio: { cpu: '3' } }, []],
  ['a ratio of one', { type: 'Pod', maxLimitRequestRatio: { cpu: '1' } }, []],
  ['a ratio of what has no other bound', { type: 'Pod', min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '3' } }, []],
  ['a ratio of what has no bound below', { type: 'Pod', max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '3' } }, []],
  ['a ratio of what may be nothing', { type: 'Pod', min: { cpu: '0' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '3' } }, []],
  ['a ratio that can be', { type: 'Pod', min: { cpu: '1' }, max: { cpu: '3' }, maxLimitRequestRatio: { cpu: '3' } }, []],
  ['defaults for pods, in no order', { type: 'Pod', min: { cpu: '3' }, default: { cpu: '1' }, defaultRequest: { cpu: '2' } }, [`Forbidden ${AT}.default`, `Forbidden ${AT}.defaultRequest`]],
  ['defaults for pods, of what cannot differ', { type: 'Pod', max: { [PAGES]: '8Mi' }, default: { [PAGES]: '4Mi' }, defaultRequest: { [PAGES]: '2Mi' } }, [`Forbidden ${AT}.default`, `Forbidden ${AT}.defaultRequest`]],
  ['pages alike', { type: 'Container', default: { [PAGES]: '4Mi' }, defaultRequest: { [PAGES]: '4Mi' } }, []],
  ['pages unlike', { type: 'Container', default: { [PAGES]: '4Mi' }, defaultRequest: { [PAGES]: '2Mi' } }, [`Invalid ${AT}.defaultRequest[${PAGES}]`]],
  ['pages with one default', { type: OWN, default: { [PAGES]: '4Mi' } }, []],
  ['what containers cannot ask for', { type: 'Container', max: { storage: '1' } }, ['max', 'default', 'defaultRequest'].map((member) => `Invalid ${AT}.${member}[storage]`)],
  ['what pods cannot ask for', { type: 'Pod', max: { storage: '1' } }, [`Invalid ${AT}.max[storage]`]],
  ['what nobody can ask for', { type: OWN, min: { nope: '1' }, max: { constructor: '1' } }, [`Invalid ${AT}.max[constructor]`, `Invalid ${AT}.min[nope]`]],
  ['a claim with the most of storage', { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, []],
  ['a claim with the least of storage', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } }, []],
  [
    'many faults, in the order in which 1.23 looks for them',
    { type: 'Pod', maxLimitRequestRatio: { a: '2' }, defaultRequest: { b: '1' }, default: { c: '1' }, min: { d: '1' }, max: { e: '1' } },
    ['max[e]', 'min[d]', 'default', 'defaultRequest', 'maxLimitRequestRatio[a]'].map((place) => `${place.startsWith('default') ? 'Forbidden' : 'Invalid'} ${AT}.${place}`),
  ],
  ['a ratio that cannot be', { type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }, [`Invalid ${AT}.maxLimitRequestRatio[cpu]`]],
];

for (const [what, item, causes] of items) test(`LimitRange: ${what}`, () => assert.deepEqual(limits(item), causes));

test('LimitRange: every type once', () => {
  const ofTypes = (...types: readonly string[]): readonly string[] => write(LimitRange, { body: { spec: { limits: types.map((type) => ({ type })) } } }).causes;
  assert.deepEqual(ofTypes('Pod', 'Container', OWN), []);
  assert.deepEqual(ofTypes('Pod', 'Container', 'Pod'), ['Duplicate spec.limits[2].type']);
});

const orders: readonly (readonly [item: object, place: string, shown: string, words: string])[] = [
  [{ min: '2', max: '1' }, 'min', '2', 'min value 2 is greater than max value 1'],
  [{ min: '2', defaultRequest: '1' }, 'defaultRequest', '1', 'min value 2 is greater than default request value 1'],
  [{ defaultRequest: '2', max: '1' }, 'defaultRequest', '2', 'default request value 2 is greater than max value 1'],
  [{ defaultRequest: '2', default: '1' }, 'defaultRequest', '2', 'default request value 2 is greater than default limit value 1'],
  [{ min: '2', default: '1' }, 'default', '2', 'min value 2 is greater than default value 1'],
  [{ default: '2', max: '1' }, 'default', '1', 'default value 2 is greater than max value 1'],
  [{ maxLimitRequestRatio: '500m' }, 'maxLimitRequestRatio', '500m', 'ratio 500m is less than 1'],
  [{ min: '1', max: '2', maxLimitRequestRatio: '3' }, 'maxLimitRequestRatio', '3', 'ratio 3 is greater than max/min = 2.000000'],
];

test('LimitRange: of two amounts the smaller is the smaller, in words that clients know', () => {
  for (const [amounts, place, shown, words] of orders) {
    const item = Object.fromEntries(Object.entries(amounts).map(([member, amount]) => [member, { cpu: amount }]));
    const { causes, messages } = write(LimitRange, { body: { spec: { limits: [{ type: OWN, ...item }] } } });
    assert.deepEqual(causes, [`Invalid ${AT}.${place}[cpu]`], words);
    assert.deepEqual(messages.map((message) => /s:"(.*)", Format:"DecimalSI"\}: (.*)$/.exec(message)?.slice(1)), [[shown, words]]);
  }
});

test('LimitRange: a name is made where there is none', () => {
  assert.deepEqual(write(LimitRange, { body: { metadata: { generateName: 'a-' }, spec: { limits: [] } } }).causes, []);
});

const EXPRESSIONS = 'spec.scopeSelector.matchExpressions';
const selecting = (scopeName: string, operator: string, ...values: readonly string[]): object => ({ scopeSelector: { matchExpressions: [{ scopeName, operator, values }] } });

const quotas: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['pages of a size that is no name', { hard: { 'hugepages-2 Mi': '2Mi' } }, ['Invalid spec.hard[hugepages-2 Mi]']],
  ['good', { hard: { cpu: '1', pods: '10', 'example.com/x': '1', 'requests.hugepages-2Mi': '2Mi' } }, []],
  ['no such resource', { hard: { nope: '1' } }, ['Invalid spec.hard[nope]']],
  ['half a pod', { hard: { pods: '500m' } }, ['Invalid spec.hard[pods]']],
  ['scopes at odds', { scopes: ['BestEffort', 'NotBestEffort'] }, ['Invalid spec.scopes']],
  ['a scope that is for pods only', { hard: { cpu: '1' }, scopes: ['BestEffort'] }, ['Invalid spec.scopes']],
  ['times at odds', { scopes: ['Terminating', 'NotTerminating'] }, ['Invalid spec.scopes']],
  ['no such scope of nothing', { scopes: ['X'] }, ['Invalid spec.scopes']],
  ['no such scope', { hard: { services: '1' }, scopes: ['X'] }, ['Invalid spec.scopes']],
  ['pods of a scope', { hard: { pods: '1' }, scopes: ['BestEffort'] }, []],
  ['what pods take, of a scope', { hard: { 'limits.memory': '1' }, scopes: ['NotBestEffort'] }, []],
  ['what claims take, of a scope', { hard: { 'requests.storage': '1' }, scopes: ['Terminating'] }, ['Invalid spec.scopes']],
  ['pages, of a scope', { hard: { 'hugepages-2Mi': '2Mi' }, scopes: ['Terminating'] }, ['Invalid spec.scopes']],
  ['what nobody knows, of a scope', { hard: { 'requests.example.com/x': '1' }, scopes: ['Terminating'] }, []],
  ['a selector of a bare scope', selecting('Terminating', 'Exists'), []],
  ['a selector of a scope that is for pods only', { hard: { cpu: '1' }, ...selecting('BestEffort', 'Exists') }, [`Invalid ${EXPRESSIONS}`]],
  ['selectors at odds', { scopeSelector: { matchExpressions: ['NotBestEffort', 'BestEffort'].map((scopeName) => ({ scopeName, operator: 'Exists' })) } }, [`Invalid ${EXPRESSIONS}`]],
  ['a selector of no such scope', selecting('X', 'Exists'), [`Invalid ${EXPRESSIONS}.scopeName`]],
  ['a selector that does nothing', selecting('PriorityClass', 'Perhaps'), [`Invalid ${EXPRESSIONS}.operator`]],
  ['a selector among no values', selecting('PriorityClass', 'NotIn'), [`Required ${EXPRESSIONS}.values`]],
  ['a selector among values', selecting('PriorityClass', 'In', 'x'), []],
  ['a selector of none, with values', selecting('PriorityClass', 'DoesNotExist', 'x'), [`Invalid ${EXPRESSIONS}.values`]],
  ['a selector of none', selecting('PriorityClass', 'DoesNotExist'), []],
  ['a selector of what lacks a bare scope', selecting('CrossNamespacePodAffinity', 'DoesNotExist'), [`Invalid ${EXPRESSIONS}.operator`]],
  ['a selector with values for a bare scope', { scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'In', values: ['x'] }] } }, ['Invalid spec.scopeSelector.matchExpressions.operator']],
];

for (const [what, spec, causes] of quotas) test(`ResourceQuota: ${what}`, () => assert.deepEqual(write(ResourceQuota, { body: { spec } }).causes, causes));

test('ResourceQuota: a name that no quota has is told twice, as no resource at all and as none for quotas', () => {
  const told = (name: string): readonly string[] => write(ResourceQuota, { body: { spec: { hard: { [name]: '1' } } } }).messages;
  assert.deepEqual(told('nope'), ['Invalid value: "nope": must be a standard resource type or fully qualified', 'Invalid value: "nope": must be a standard resource for quota']);
  assert.deepEqual(told('storage'), ['Invalid value: "storage": must be a standard resource for quota']);
});

test('ResourceQuota: a selector is shown whole, the scopes beside it in place of those that are at odds', () => {
  const told = (...scopes: readonly string[]): readonly string[] =>
    write(ResourceQuota, { body: { spec: { hard: { cpu: '1' }, scopeSelector: { matchExpressions: scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })) } } } }).messages;
  const shown = 'core.ScopeSelector{MatchExpressions:[]core.ScopedResourceSelectorRequirement{core.ScopedResourceSelectorRequirement{ScopeName:"BestEffort", Operator:"Exists", Values:[]string(nil)}}}';
  assert.deepEqual(told('BestEffort'), [`Invalid value: ${shown}: unsupported scope applied to resource`]);
  assert.deepEqual(told('Terminating', 'NotTerminating'), ['Invalid value: []core.ResourceQuotaScope(nil): conflicting scopes']);
});

test('ResourceQuota: scopes stay', () => {
  const live = write(ResourceQuota, { body: { spec: { scopes: ['Terminating'] } } }).object;
  assert.deepEqual(write(ResourceQuota, { body: { spec: { scopes: ['NotTerminating'] } }, live }).causes, ['Invalid spec.scopes']);
  assert.deepEqual(write(ResourceQuota, { body: { spec: {} }, live }).causes, ['Invalid spec.scopes']);
  const [one, other] = [['Terminating', 'BestEffort'], ['BestEffort', 'Terminating', 'BestEffort']].map((scopes) => ({ spec: { scopes } }));
  assert.deepEqual(write(ResourceQuota, { body: other as object, live: write(ResourceQuota, { body: one as object }).object }).causes, []);
});

test('R2.5-12 ResourceQuota: cells tell requests from limits', () => {
  const quota = write(ResourceQuota, { body: { status: { hard: { pods: '4', 'limits.cpu': '2', cpu: '1' }, used: { cpu: '500m' } } } }).object as Quota;
  assert.deepEqual(cellsOf(ResourceQuota, quota).slice(1), ['cpu: 500m/1, pods: 0/4', 'limits.cpu: 0/2']);
});
