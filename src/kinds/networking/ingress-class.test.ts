import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { IngressClass, type IngressClass as Class } from './ingress-class.ts';

const parameters = { apiGroup: 'example.com', kind: 'P', name: 'n' };
const PLACE = 'spec.parameters';

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['a controller', { controller: 'example.com/c' }, []],
  ['no controller', {}, ['Required spec.controller']],
  ['a controller without domain', { controller: 'c' }, ['Invalid spec.controller']],
  ['a long controller', { controller: `example.com/${'c'.repeat(250)}` }, ['TooLong spec.controller']],
  ['parameters', { controller: 'example.com/c', parameters }, []],
  ['parameters without kind and name', { controller: 'example.com/c', parameters: {} }, [`Required ${PLACE}.kind`, `Required ${PLACE}.name`]],
  ['parameters of a bad group', { controller: 'example.com/c', parameters: { ...parameters, apiGroup: '' } }, [`Invalid ${PLACE}.apiGroup`]],
  ['an unknown scope, which says nothing of namespaces', { controller: 'example.com/c', parameters: { ...parameters, scope: 'World', namespace: 'N!' } }, [`NotSupported ${PLACE}.scope`]],
  ['parameters of a namespace', { controller: 'example.com/c', parameters: { ...parameters, scope: 'Namespace', namespace: 'n' } }, []],
  ['parameters of a bad namespace', { controller: 'example.com/c', parameters: { ...parameters, scope: 'Namespace', namespace: 'N!' } }, [`Invalid ${PLACE}.namespace`]],
  ['an unknown scope', { controller: 'example.com/c', parameters: { ...parameters, scope: 'World' } }, [`NotSupported ${PLACE}.scope`]],
  ['a scope that wants a namespace', { controller: 'example.com/c', parameters: { ...parameters, scope: 'Namespace' } }, [`Required ${PLACE}.namespace`]],
  ['a scope that wants none', { controller: 'example.com/c', parameters: { ...parameters, namespace: 'n' } }, [`Forbidden ${PLACE}.namespace`]],
];

for (const [title, spec, causes] of created) {
  test(`IngressClass: ${title}`, () => assert.deepEqual(write(IngressClass, { body: { spec } }).causes, causes));
}

test('IngressClass: the controller stays', () => {
  const { object: live } = write(IngressClass, { body: { spec: { controller: 'example.com/c' } } });
  assert.deepEqual(write(IngressClass, { body: { spec: { controller: 'example.com/d' } }, live }).causes, ['Invalid spec.controller']);
  assert.deepEqual(write(IngressClass, { body: { spec: { controller: 'example.com/c', parameters } }, live }).causes, []);
  assert.deepEqual(write(IngressClass, { body: { spec: {} }, live }).causes, ['Invalid spec.controller', 'Required spec.controller']);
});

test('IngressClass: parameters are of the cluster unless they say otherwise; columns', () => {
  const { object } = write(IngressClass, { body: { spec: { controller: 'example.com/c', parameters } } });
  assert.equal((object as Class).spec.parameters?.scope, 'Cluster');
  assert.deepEqual(cellsOf(IngressClass, object), ['example.com/c', 'P.example.com/n']);
  const cells = (spec: object): readonly unknown[] => cellsOf(IngressClass, write(IngressClass, { body: { spec } }).object);
  assert.deepEqual([cells({}), cells({ controller: 'c', parameters: { kind: 'P', name: 'n' } })], [['', '<none>'], ['c', 'P/n']]);
});
