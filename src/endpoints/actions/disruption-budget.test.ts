import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, systemClock } from '#base';
import { brandOf, createCatalog, type ApiObject } from '#api';
import { PodDisruptionBudget, type Pod } from '#kinds';
import { create, openRegistries, OWN_WRITE, remove, update, type Registries } from '#registry';
import { openEngine } from '#storage';
import type { VerbContext } from '../verb-context.ts';
import { useBudget } from './disruption-budget.ts';

const KEY = { namespace: 'n', name: 'b' };
const POD = { metadata: { name: 'p', namespace: 'n', labels: { app: 'a' } }, status: { conditions: [{ type: 'Ready', status: 'True' }] } } as unknown as Pod;

for (const disruptionsAllowed of [0, 2]) {
  test(`a disruption budget of ${disruptionsAllowed} that is deleted while it is asked allows everything, and stays deleted`, async (t) => {
    const engine = await openEngine('memory://', { historySeconds: 300, clock: systemClock, log: silentLog });
    t.after(() => engine.close());
    const catalog = createCatalog([PodDisruptionBudget], brandOf('kubernetes'));
    const resource = catalog.findKind('policy', 'PodDisruptionBudget');
    assert.ok(resource);
    const registry = openRegistries(catalog, engine, systemClock).of(resource);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } };
    const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };
    await create(registry, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { ...KEY }, spec } as unknown as ApiObject, OWN_WRITE);
    await update(registry, KEY, (live) => ({ ...live, status }) as unknown as ApiObject, { ...OWN_WRITE, subresource: 'status' });

    // Somebody deletes it after it was read, and before anything is written to it.
    const write: typeof registry.objects.write = async (...args) => {
      await remove(registry, KEY, {}, OWN_WRITE);
      return registry.objects.write(...args);
    };
    const objects = Object.assign(Object.create(registry.objects) as typeof registry.objects, { write });
    const registries: Registries = { of: () => ({ ...registry, objects }) };
    const request = { headers: new Map(), warn: () => {} };
    const context = { env: { catalog, registries, clock: systemClock }, request, route: { served: resource.storage } } as unknown as VerbContext;

    assert.equal(await useBudget(context, POD, { dryRun: false, insist: async () => {} }), 'no budget');
    assert.equal(await registry.objects.get(registry.keyOf(KEY), 'latest'), undefined);
  });
}
