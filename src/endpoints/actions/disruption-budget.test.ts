import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { silentLog, systemClock } from '#base';
import { brandOf, createCatalog, type ApiObject } from '#api';
import { PodDisruptionBudget, type Pod } from '#kinds';
import { create, openRegistries, OWN_WRITE, remove, update, type Registries, type Registry } from '#registry';
import { openEngine } from '#storage';
import type { VerbContext } from '../verb-context.ts';
import { useBudget } from './disruption-budget.ts';

const KEY = { namespace: 'n', name: 'b' };
const POD = { metadata: { name: 'p', namespace: 'n', labels: { app: 'a' } }, status: { conditions: [{ type: 'Ready', status: 'True' }] } } as unknown as Pod;

/** A registry with a budget for that pod, and what is asked of it. `ahead`: runs before each write of the budget. */
async function budgetOf(t: TestContext, selector: object, disruptionsAllowed: number, ahead: (registry: Registry) => Promise<void> = async () => {}): Promise<{ readonly registry: Registry; readonly context: VerbContext }> {
  const engine = await openEngine('memory://', { historySeconds: 300, clock: systemClock, log: silentLog });
  t.after(() => engine.close());
  const catalog = createCatalog([PodDisruptionBudget], brandOf('kubernetes'));
  const resource = catalog.findKind('policy', 'PodDisruptionBudget');
  assert.ok(resource);
  const registry = openRegistries(catalog, engine, systemClock).of(resource);
  const spec = { minAvailable: 1, selector };
  const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };
  await create(registry, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { ...KEY }, spec } as unknown as ApiObject, OWN_WRITE);
  await update(registry, KEY, (live) => ({ ...live, status }) as unknown as ApiObject, { ...OWN_WRITE, subresource: 'status' });
  const write: typeof registry.objects.write = async (...args) => {
    await ahead(registry);
    return registry.objects.write(...args);
  };
  const objects = Object.assign(Object.create(registry.objects) as typeof registry.objects, { write });
  const registries: Registries = { of: () => ({ ...registry, objects }) };
  const request = { headers: new Map(), warn: () => {} };
  return { registry, context: { env: { catalog, registries, clock: systemClock }, request, route: { served: resource.storage } } as unknown as VerbContext };
}

const USE = { dryRun: false, insist: async () => {} };

for (const disruptionsAllowed of [0, 2]) {
  test(`a disruption budget of ${disruptionsAllowed} that is deleted while it is asked allows everything, and stays deleted`, async (t) => {
    // Somebody deletes it after it was read, and before anything is written to it.
    const { registry, context } = await budgetOf(t, { matchLabels: { app: 'a' } }, disruptionsAllowed, async (of) => void (await remove(of, KEY, {}, OWN_WRITE)));
    assert.equal(await useBudget(context, POD, USE), 'no budget');
    assert.equal(await registry.objects.get(registry.keyOf(KEY), 'latest'), undefined);
  });
}

for (const [values, isAsked] of [[['b'], true], [['b', 'not a label'], false]] as const) {
  test(`a disruption budget for what is not ${values.join(' or ')} ${isAsked ? 'is asked' : 'selects no pod'}`, async (t) => {
    const { context } = await budgetOf(t, { matchExpressions: [{ key: 'app', operator: 'NotIn', values }] }, 0);
    const answer = useBudget(context, POD, USE);
    if (isAsked) await assert.rejects(answer, { reason: 'TooManyRequests' });
    else assert.equal(await answer, 'no budget');
  });
}
