import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, systemClock } from '#base';
import { brandOf, createCatalog, type ApiObject } from '#api';
import { ApiError } from '#errors';
import { Pod, PodDisruptionBudget } from '#kinds';
import { openRegistries, type Registries } from '#registry';
import { openEngine } from '#storage';
import type { VerbContext } from '../verb-context.ts';
import { evict } from './eviction.ts';

const condition = (status: string): object => ({ phase: 'Running', conditions: [{ type: 'Ready', status }] });
/** What an eviction needs no budget for, and what the pod is by the time it is deleted. */
const SEEN = { pending: { phase: 'Pending' }, unready: condition('False') };
const READY = condition('True');

for (const [seen, status] of Object.entries(SEEN)) {
  for (const disruptionsAllowed of [0, 1]) {
    test(`a pod that was ${seen} and is ready before it is deleted goes as its budget of ${disruptionsAllowed} allows`, async (t) => {
      const engine = await openEngine('memory://', { historySeconds: 300, clock: systemClock, log: silentLog });
      t.after(() => engine.close());
      const catalog = createCatalog([Pod, PodDisruptionBudget], brandOf('kubernetes'));
      const [pods, budgets] = [catalog.findKind('', 'Pod'), catalog.findKind('policy', 'PodDisruptionBudget')];
      assert.ok(pods !== undefined && budgets !== undefined);
      const registries = openRegistries(catalog, engine, systemClock);
      const key = { namespace: 'n', name: 'p' };
      const [pod, budget] = [registries.of(pods), registries.of(budgets)];
      const [podKey, budgetKey] = [pod.keyOf(key), budget.keyOf({ namespace: 'n', name: 'b' })];
      const metadata = { ...key, uid: 'u', labels: { app: 'a' } };
      const put = (shown: object) => pod.objects.write(podKey, () => ({ put: { apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: shown } as unknown as ApiObject }));
      const counted = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
      const said = { metadata: { namespace: 'n', name: 'b', uid: 'v', generation: 1 }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } }, status: counted };
      await budget.objects.write(budgetKey, () => ({ put: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...said } as unknown as ApiObject }));
      await put(status);

      let changes = 0;
      const write: typeof pod.objects.write = async (...args) => {
        if (changes++ === 0) await put(READY);
        return pod.objects.write(...args);
      };
      const registry = { ...pod, objects: Object.assign(Object.create(pod.objects) as typeof pod.objects, { write }) };
      const of: Registries['of'] = (resource) => (resource === pods ? registry : registries.of(resource));
      const request = { headers: new Map(), warn: () => {} };
      const context = { env: { catalog, registries: { of }, clock: systemClock }, request, registry, route: { resource: pods, served: pods.storage, key } } as unknown as VerbContext;

      const stays = disruptionsAllowed === 0;
      const evicted = evict(context, { dryRun: [] }, false);
      if (stays) await assert.rejects(evicted, (cause) => cause instanceof ApiError && cause.reason === 'TooManyRequests');
      else await evicted;
      assert.equal((await pod.objects.get(podKey, 'latest')) !== undefined, stays);
      const left = (await budget.objects.get(budgetKey, 'latest'))?.object as unknown as { status: typeof counted & { disruptedPods?: object } };
      assert.deepEqual([left.status.disruptionsAllowed, Object.keys(left.status.disruptedPods ?? {})], [0, stays ? [] : ['p']]);
    });
  }
}
