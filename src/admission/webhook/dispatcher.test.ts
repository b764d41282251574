import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog, type Follower, type Resource } from '#api';
import { SetClock } from '#base';
import { allKinds } from '#kinds';
import type { AdmissionEnv, AdmissionRequest } from '../plugin.ts';
import { validatingAdmissionWebhook } from '../plugins/webhooks/validating-admission-webhook.ts';
import { make } from '../test-support.ts';

const { signal } = new AbortController();

test('how long a webhook took does not depend on a clock that is put back meanwhile', async () => {
  const clock = new SetClock();
  const tookMs: number[] = [];
  const brand = brandOf('orch');
  const catalog = createCatalog(allKinds, brand);
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];
  const nobody = { name: 'hook.example.com', clientConfig: { service: { namespace: 'n', name: 's' } }, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] };
  const observer = { webhook: ({ durationMs }: { readonly durationMs: number }) => void tookMs.push(durationMs), webhookRejected: () => {} };
  const get = async (): Promise<undefined> => clock.put(-60_000) as undefined;
  const objects = { get, follow: async (_kind: unknown, follower: Follower) => follower.put(make('ValidatingWebhookConfiguration', 'c', { webhooks: [nobody] })) };
  const hooks = validatingAdmissionWebhook.create({ brand, catalog, clock, observer, objects, config: () => undefined } as unknown as AdmissionEnv);
  await hooks.start?.(signal);
  const resource = catalog.findKind('', 'ConfigMap') as Resource;
  const object = make('ConfigMap', 'm');
  const about = { resource, served: resource.storage, subresource: '', namespace: 'n', name: 'm', nameInPath: '', user: { name: 'u', groups: [] }, dryRun: false };
  const request: AdmissionRequest = { ...about, operation: 'CREATE', object, live: undefined, signal, annotate: () => {}, warn: () => {}, waitedForWebhooks: () => {}, onlyWhile: () => {} };
  await assert.rejects(async () => hooks.validate?.(request), /service "s" not found .*, after 0 ms\)/);
  assert.deepEqual(tookMs, [0]);
});
