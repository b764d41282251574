// A webhook that is out of order must not keep the server itself from working.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startTestServer } from '#testing';

for (const dialect of ['orch', 'kubernetes'] as const) {
  test(`R2.7-76 ${dialect}: a server starts although a stored webhook refuses everything, and lets the administrator take it away`, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'orch-webhooks-'));
    const options = { dialect, store: `lmdb://${folder}` };
    const group = dialect === 'orch' ? 'admissionregistration.orch.io' : 'admissionregistration.k8s.io';
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
    const webhooks = [{ name: 'a.example.com', clientConfig: { url: 'https://127.0.0.1:1/' }, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }];
    const at = (kind: string): string => `/apis/${group}/v1/${kind.toLowerCase()}webhookconfigurations`;
    try {
      const first = await startTestServer(options);
      for (const kind of ['Mutating', 'Validating']) {
        const body = { apiVersion: `${group}/v1`, kind: `${kind}WebhookConfiguration`, metadata: { name: 'all' }, webhooks };
        assert.equal((await first.request('POST', at(kind), body)).status, 201);
      }
      await first.close();
      const second = await startTestServer(options);
      const make = async (): Promise<number> => (await second.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } })).status;
      try {
        assert.equal(await make(), 500);
        for (const kind of ['Mutating', 'Validating']) assert.equal((await second.request('DELETE', `${at(kind)}/all`)).status, 200);
        assert.equal(await make(), 201);
      } finally {
        await second.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
