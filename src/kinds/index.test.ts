import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, columnsOf, createCatalog, DIALECTS, selectableFields } from '#api';
import { allKinds } from './index.ts';

test('every kind enters the catalog of both dialects under a name of its own', () => {
  for (const dialect of DIALECTS) {
    const catalog = createCatalog(allKinds, brandOf(dialect));
    assert.equal(new Set(catalog.resources.map(({ group, plural }) => `${group}/${plural}`)).size, allKinds.length);
  }
});

test('R2.5-12 every column of every kind has a description, and a name no other column has', () => {
  for (const kind of allKinds) {
    const columns = columnsOf(kind);
    assert.equal(new Set(columns.map(({ name }) => name)).size, columns.length, kind.kind);
    for (const { name, description } of columns) {
      // The one column of which kube-apiserver says nothing either.
      if (kind.kind === 'RuntimeClass' && name === 'Handler') continue;
      assert.ok((description ?? '').length > 0, `${kind.kind} ${name}`);
    }
  }
});

test('every kind can say what fields it offers to selectors, from an object without content', () => {
  for (const kind of allKinds) assert.ok(selectableFields(kind).includes('metadata.name'), kind.kind);
});
