import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { brandOf, createCatalog, defineKind, type KindDefinition } from '#api';
import { stringScalar, t } from '#schema';
import { openEngine } from '#storage';
import { collectGarbage } from '#test-support';
import { openRegistries } from './index.ts';

class Thing extends t.message('core/v1.Thing', { data: t.map(2, stringScalar) }) {}

const kindOf = (group: string, plural: string): KindDefinition =>
  defineKind(Thing, { group, kind: 'Thing', plural, scope: 'Namespaced', versions: { v1: { schema: Thing } }, storage: 'v1' });

test('the stores of resources whose definitions are gone leave memory, and one outlives a change of its definition', async () => {
  const clock = new StillClock();
  const engine = await openEngine('memory://', { clock });
  const catalog = createCatalog([kindOf('', 'things')], brandOf('orch'));
  const registries = openRegistries(catalog, engine, clock);
  const join = (owner: string): WeakRef<object> => {
    const [resource] = catalog.join(owner, [kindOf(`${owner}.example.com`, 'things')]);
    assert.ok(resource);
    return new WeakRef(registries.of(resource).objects);
  };
  const stays = join('stays').deref();
  const gone = Array.from({ length: 10 }, (_, n) => {
    const store = join(`g${n}`);
    catalog.leave(`g${n}`);
    return store;
  });
  await collectGarbage();
  assert.ok(gone.filter((store) => store.deref() !== undefined).length <= catalog.resources.length);
  assert.equal(join('stays').deref(), stays);
  await engine.close();
});
