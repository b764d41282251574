import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '#schema';
import { brandOf } from './brand.ts';
import { createCatalog } from './catalog.ts';
import type { KindDefinition } from './kind.ts';

class Body extends t.message('test/v1.Thing', { spec: t.rawObject(1) }) {}
const kind = (name: string, version: string, group = 'example.com'): KindDefinition => ({
  group,
  kind: name,
  plural: `${name.toLowerCase()}s`,
  scope: 'Namespaced',
  versions: { [version]: { schema: Body } },
  storage: version,
});

test('kinds join and leave, and what was there stays', () => {
  const catalog = createCatalog([kind('Thing', 'v1', 'apps')], brandOf('orch'));
  const before = catalog.resources;
  const [joined] = catalog.join('x', [kind('Foo', 'v2'), kind('Foo', 'v1')]);
  assert.notEqual(catalog.resources, before, 'who keeps what it made of the list notices');
  assert.equal(catalog.find('example.com', 'v2', 'foos')?.resource, joined);
  assert.equal(catalog.findKind('example.com', 'Foo'), joined, 'the first of one name');
  assert.equal(catalog.hasGroupVersion('example.com', 'v1'), true);
  assert.deepEqual([catalog.isBuiltIn('apps'), catalog.isBuiltIn('example.com')], [true, false]);
  catalog.join('y', [kind('Thing', 'v1', 'apps')]);
  assert.equal(catalog.find('apps', 'v1', 'things')?.resource, before[0], 'who was there first stays');
  catalog.leave('x');
  assert.equal(catalog.find('example.com', 'v2', 'foos'), undefined);
  assert.equal(catalog.hasGroupVersion('example.com', 'v1'), false);
  assert.equal(joined?.gone?.aborted, true);
});

test('what joins again takes the place of what it was', () => {
  const catalog = createCatalog([], brandOf('kubernetes'));
  const [first] = catalog.join('x', [kind('Foo', 'v1')]);
  const [second] = catalog.join('x', [kind('Foo', 'v1')]);
  assert.deepEqual([first?.gone?.aborted, second?.gone?.aborted], [true, false]);
  assert.deepEqual(catalog.resources, [second]);
  catalog.leave('nobody');
  assert.deepEqual(catalog.resources, [second]);
});
