import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject, StoredForms } from '#api';
import type { Definition } from './definition.ts';
import { formsOfOlder } from './older-objects.ts';

const NOON = '2026-01-01T12:00:00Z';
const LATER = '2026-01-01T12:00:01Z';
const definition = { metadata: { resourceVersion: '99', creationTimestamp: NOON } } as unknown as Definition;
const objectOf = (resourceVersion: string, creationTimestamp: string, apiVersion = 'e.com/v1'): ApiObject =>
  ({ apiVersion, kind: 'Foo', metadata: { name: 'a', resourceVersion, creationTimestamp } }) as unknown as ApiObject;

/** What the forms below are asked to load. */
function loading(): { readonly seen: (readonly ApiObject[])[]; readonly forms: StoredForms } {
  const seen: (readonly ApiObject[])[] = [];
  const load = (objects: readonly ApiObject[]): readonly ApiObject[] => {
    seen.push(objects);
    return objects;
  };
  return { seen, forms: formsOfOlder(definition, 'e.com/v1', { load, save: (object) => object }) };
}

test('what was made and written under the definition is loaded as it is', () => {
  const { seen, forms } = loading();
  const objects = [objectOf('100', LATER), objectOf('1000', LATER)];
  assert.equal(forms.load(objects), objects);
  assert.deepEqual(seen, []);
});

const OLDER: readonly (readonly [title: string, object: ApiObject])[] = [
  ['was written before the definition, by a clock that was ahead', objectOf('98', LATER)],
  ['was made before the definition, and removed since', objectOf('100', '2026-01-01T11:59:59Z')],
  ['was made in the same second as the definition', objectOf('100', NOON)],
  ['is of another version', objectOf('100', LATER, 'e.com/v1alpha1')],
  ['has no revision yet', objectOf('', LATER)],
];

for (const [title, object] of OLDER) {
  test(`an object that ${title} is fitted to the definition`, () => {
    const { seen, forms } = loading();
    const objects = [objectOf('100', LATER), object];
    void forms.load(objects);
    assert.deepEqual(seen, [objects]);
  });
}
