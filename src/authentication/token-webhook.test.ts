import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { brandOf } from '#api';
import { silentLog, StillClock, type Clock } from '#base';
import { tokenWebhook } from './methods/token-webhook.ts';

/** The first delay before a webhook is called again. */
const DELAY_MS = 500;

for (const [when, answer] of [['it is called', undefined], ['it is to be called again', 500]] as const) {
  test(`a token webhook that is closed while ${when} is not called any more, which is no failure`, { timeout: 20_000 }, async (context) => {
    let asked = 0;
    const server = createServer((request, response) => {
      asked += 1;
      if (answer !== undefined) request.resume().on('end', () => response.writeHead(answer).end());
    });
    context.after(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const still = new StillClock();
    const told: string[] = [];
    let delayed = (): void => {};
    const delay = new Promise<void>((resolve) => (delayed = resolve));
    const clock: Clock = { nowMs: () => still.nowMs(), after: (ms, run) => (ms === DELAY_MS && delayed(), still.after(ms, run)) };
    const connection = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isVerified: true, namespace: '' };
    const webhook = tokenWebhook({ connection }, { brand: brandOf('orch'), clock, log: { ...silentLog, error: (message) => void told.push(message) }, audiences: ['us'] });
    const found = webhook.authenticateToken('secret', { audiences: ['us'], annotate() {} });
    await (answer === undefined ? once(server, 'request') : delay);
    webhook.close?.();
    assert.equal(await found, undefined);
    assert.deepEqual([asked, told, still.pending], [1, [], 0]);
  });
}
