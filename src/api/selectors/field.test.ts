import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '#errors';
import { t } from '#schema';
import { defineKind, type KindDefinition } from '../kind.ts';
import { compileFieldSelector, parseFieldSelector, selectableFields } from './field.ts';

class Body extends t.message('test/v1.Thing', { phase: t.string(1).default('New') }) {}

const thing = (scope: KindDefinition['scope']): KindDefinition =>
  defineKind(Body, {
    group: 'test',
    kind: 'Thing',
    plural: 'things',
    scope,
    versions: { v1: { schema: Body } },
    storage: 'v1',
    select: ({ phase }) => ({ 'status.phase': phase ?? '' }),
  });

const kind = thing('Namespaced');
const p1 = { 'metadata.name': 'p1', 'metadata.namespace': 'n', 'status.phase': 'a,b=c\\d' };

const cases: readonly (readonly [selector: string, matches: boolean, name?: string])[] = [
  ['metadata.name=p1', true, 'p1'],
  ['metadata.name==p1', true, 'p1'],
  ['metadata.name=p1,', true, 'p1'],
  ['metadata.name!=p1', false],
  ['metadata.name!=p2', true],
  ['metadata.name=p2', false, 'p2'],
  ['metadata.name=p1,metadata.namespace=n', true, 'p1'],
  ['metadata.name=p1,metadata.namespace!=n', false, 'p1'],
  ['metadata.name=p1\\,x', false, 'p1,x'],
  ['status.phase=a\\,b\\=c\\\\d', true],
  ['status.phase=', false],
];

for (const [selector, matches, name] of cases) {
  test(`R4.3 fieldSelector ${JSON.stringify(selector)}`, () => {
    const found = compileFieldSelector(parseFieldSelector(selector), kind);
    assert.equal(found?.matches(p1), matches);
    assert.equal(found?.name, name);
  });
}

test('R4.3 a fieldSelector says which value all have, or which name, only where there is one', () => {
  const found = (selector: string): readonly unknown[] => {
    const { name, required } = compileFieldSelector(parseFieldSelector(selector), kind) ?? {};
    return [name, required && [required.key, required.value]];
  };
  assert.deepEqual(found('metadata.namespace=n,status.phase!=y,status.phase=x,metadata.name=a'), ['a', ['status.phase', 'x']]);
  assert.deepEqual(found('status.phase='), [undefined, ['status.phase', '']]);
  for (const selector of ['status.phase!=x', 'metadata.name!=a', 'metadata.namespace=n', 'metadata.name=']) assert.deepEqual(found(selector), [undefined, undefined], selector);
});

test('R4.3 an empty fieldSelector asks for nothing, nor does a term without field and value', () => {
  for (const nothing of ['', ',', '=', '==', '!=', ',=,']) assert.equal(compileFieldSelector(parseFieldSelector(nothing), kind), undefined, nothing);
  assert.deepEqual(parseFieldSelector('=,status.phase=x'), parseFieldSelector('status.phase=x'));
});

test('R4.3 a fieldSelector that cannot be read, or names a field the kind does not offer, is a BadRequest', () => {
  for (const selector of [
    'bogus',
    '=x',
    'metadata.name',
    'metadata.name=a=b',
    'metadata.name>a',
    'spec.nope=x',
    'constructor=x',
    'metadata.name=a\\',
    'metadata.name=\\a',
  ]) {
    assert.throws(
      () => compileFieldSelector(parseFieldSelector(selector), kind),
      (error) => error instanceof ApiError && error.code === 400,
      selector,
    );
  }
});

test('R4.3 of several faults of a fieldSelector the first in the order of the terms is told', () => {
  const told = (selector: string): string => {
    try {
      compileFieldSelector(parseFieldSelector(selector), kind, { refuseField: (field) => `no ${field} here` });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.equal(told('c,b,metadata.name=a'), "invalid selector: 'c,b,metadata.name=a'; can't understand 'b'");
  assert.equal(told('b=1=2,a=\\x'), 'invalid field selector: invalid escape sequence: \\x');
  assert.equal(told('spec.z=1,metadata.name=n,spec.b=1'), 'no spec.b here');
  assert.equal(told('spec.a=1,=\\😀'), 'invalid field selector: invalid escape sequence: \\😀');
  assert.equal(compileFieldSelector(parseFieldSelector('metadata.name=b,metadata.name=a'), kind)?.name, 'a');
});

test('R4.3 a field may be named as it was called formerly', () => {
  const renamed = { ...kind, formerFields: new Map([['status.stage', 'status.phase']]) };
  const found = compileFieldSelector(parseFieldSelector('status.stage=x'), renamed);
  assert.deepEqual([found?.required?.key, found?.matches({ 'status.phase': 'x' }), found?.matches({ 'status.phase': 'y' })], ['status.phase', true, false]);
});

test('R4.3 a version may know fields that no object has, and refuse others in its own words', () => {
  const found = (selector: string): boolean | undefined =>
    compileFieldSelector(parseFieldSelector(selector), kind, { emptyFields: ['status.old'], refuseField: (field) => `no ${field} here` })?.matches(p1);
  assert.deepEqual(['status.old=1', 'status.old!=1', 'status.old=', 'metadata.name=p1'].map(found), [false, true, true, true]);
  assert.throws(() => found('status.new=1'), { message: 'no status.new here' });
  assert.throws(() => compileFieldSelector(parseFieldSelector('status.old=1'), kind, {}), ApiError);
});

test('fields on offer: those of the kind beside name and namespace', () => {
  assert.deepEqual(selectableFields(kind), ['metadata.name', 'metadata.namespace', 'status.phase']);
  assert.deepEqual(selectableFields(thing('Cluster')), ['metadata.name', 'status.phase']);
});

test('any value can be asked for once it is escaped', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const escaped = value.replaceAll(/[\\,=]/g, '\\$&');
      return compileFieldSelector(parseFieldSelector(`status.phase=${escaped}`), kind)?.matches({ 'status.phase': value }) === true;
    }),
  );
});
