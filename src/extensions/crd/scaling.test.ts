import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { FieldErrors } from '#errors';
import { createScaling, validateScaling } from './scaling.ts';

const scaling = createScaling({ specReplicasPath: '.spec.size.now', statusReplicasPath: '.status.n', labelSelectorPath: '.status.sel' });
const read = (members: object): ReturnType<typeof scaling.read> => scaling.read({ metadata: { name: 'x' }, ...members } as unknown as ApiObject);

test('a scale says what stands at its paths, none where there are no replicas, and zero where nobody reported any', () => {
  assert.deepEqual(read({ spec: { size: { now: 3 } }, status: { n: 2, sel: 'a=b' } }), { replicas: 3, statusReplicas: 2, selector: 'a=b' });
  assert.deepEqual(read({ spec: { size: null } }), { replicas: undefined, statusReplicas: 0, selector: '' });
  assert.deepEqual(createScaling({ specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' }).read({ spec: { n: 0 } } as unknown as ApiObject), { replicas: 0, statusReplicas: 0, selector: '' });
});

test('what was stored before it was declared a scale, and is none, is told and not taken for zero, or for a selector of everything', () => {
  const size = { size: { now: 3 } };
  const rows: readonly (readonly [members: object, why: string])[] = [
    [{ spec: { size: { now: '3' } } }, '.spec.size.now accessor error: 3 is of the type string, expected int64'],
    [{ spec: { size: 5 } }, '.spec.size.now accessor error: 5 is of the type int64, expected map[string]interface{}'],
    [{ spec: size, status: { n: 1.5 } }, '.status.n accessor error: 1.5 is of the type float64, expected int64'],
    [{ spec: size, status: { sel: { a: 'b' } } }, '.status.sel accessor error: map[a:b] is of the type map[string]interface {}, expected string'],
  ];
  for (const [members, message] of rows) assert.throws(() => read(members), { message }, JSON.stringify(members));
});

test('where a path leads through what is no object, the step that fails is told, and none behind it', () => {
  const { read: deep } = createScaling({ specReplicasPath: '.spec.a.b.c', statusReplicasPath: '.status.n' });
  const at = (a: unknown): ApiObject => ({ spec: { a } }) as unknown as ApiObject;
  assert.throws(() => deep(at('x')), { message: '.spec.a.b accessor error: x is of the type string, expected map[string]interface{}' });
  assert.throws(() => deep(at({ b: [1] })), { message: '.spec.a.b.c accessor error: [1] is of the type []interface {}, expected map[string]interface{}' });
  assert.deepEqual([deep(at(null)).replicas, deep(at({ b: null })).replicas], [undefined, undefined]);
});

test('a number that was stored before it was declared a scale fits 32 bits, whatever it was', () => {
  for (const [stored, shown] of [[9_223_372_036_854_775_807n, -1], [2 ** 31, -(2 ** 31)], [2 ** 31 - 1, 2 ** 31 - 1], [-(2 ** 32), 0], [-5, -5]] as const) {
    assert.deepEqual(read({ spec: { size: { now: stored } }, status: { n: stored } }), { replicas: shown, statusReplicas: shown, selector: '' }, String(stored));
  }
});

test('replicas are set where they are declared, also where nothing was on the way there, and never in what is no object', () => {
  const write = (spec: unknown): unknown => {
    const object = { metadata: { name: 'x' }, ...(spec === undefined ? {} : { spec }) } as unknown as ApiObject & { spec: unknown };
    scaling.write(object, 3);
    return object.spec;
  };
  for (const spec of [undefined, {}, { size: {} }, { size: { now: '2' } }]) assert.deepEqual(write(spec), { size: { now: 3 } }, JSON.stringify(spec));
  assert.deepEqual(write({ more: 1, size: { now: 2, last: 1 } }), { more: 1, size: { now: 3, last: 1 } });
  for (const spec of [null, 5, { size: null }, { size: [] }]) assert.throws(() => write(spec), { code: 500 }, JSON.stringify(spec));
});

test('a scale that names no selectors asks for none', () => {
  for (const labelSelectorPath of [undefined, '']) {
    const at = new FieldErrors();
    const paths = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', ...(labelSelectorPath === undefined ? {} : { labelSelectorPath }) };
    validateScaling(paths, { spec: { n: 1 }, status: { sel: 5 } } as unknown as ApiObject, '', at);
    assert.deepEqual(at.causes, [], labelSelectorPath);
  }
});
