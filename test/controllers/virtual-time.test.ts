import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient, exchangeLocal, runForLeader } from '#client';
import { silentLog } from '#base';
import { openIdentityFiles } from '#server';
import { TEST_TOKENS, TurnedClock } from '#testing';
import { newRequester, person } from '../support/certificate-requests.ts';
import { Cluster, DIALECTS } from './cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-time-'));
after(() => rmSync(folder, { recursive: true }));

for (const dialect of DIALECTS) {
  test(`a token ends as soon as the clock is advanced past its end (${dialect})`, async () => {
    const cluster = await Cluster.start({ dialect, controllers: 'none' });
    await cluster.make('default/serviceaccounts', { name: 'robot' });
    const { status } = await cluster.ask('POST', `${cluster.path('default/serviceaccounts', 'robot')}/token`, { spec: { expirationSeconds: 3600 } });
    const ask = async (): Promise<number> => (await cluster.server.request('GET', '/api/v1/nodes', undefined, { authorization: `Bearer ${status.token}` })).status;
    cluster.server.clock.advance('59m');
    assert.equal(await ask(), 403, 'known, and without permission');
    cluster.server.clock.advance('2m');
    assert.equal(await ask(), 401);
    await cluster.server.close();
  });

  test(`an event goes an hour after it was made (${dialect})`, async () => {
    const cluster = await Cluster.start({ dialect, controllers: 'none' });
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    await cluster.make('default/events', { name: 'early' }, { involvedObject, reason: 'Test', message: 'm', type: 'Normal' });
    const gone = cluster.gone('default/events', 'early');
    cluster.server.clock.advance('59m');
    assert.equal(await cluster.isThere('default/events', 'early'), true);
    cluster.server.clock.advance('2m');
    await gone;
    await cluster.server.close();
  });

  test(`a lease that nobody renews is another's as soon as the clock is advanced past its end (${dialect})`, async () => {
    const clock = new TurnedClock();
    const cluster = await Cluster.start({ dialect, clock, controllers: 'none' });
    const leases = 'coordination:default/leases';
    await cluster.make(leases, { name: 'election' }, { spec: { holderIdentity: 'gone', leaseDurationSeconds: 15 } });
    const client = createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect });
    const ending = new AbortController();
    const before = clock.pending;
    const lease = { namespace: 'default', name: 'election' };
    const ended = (term: AbortSignal): Promise<void> => new Promise((resolve) => term.addEventListener('abort', () => resolve()));
    const done = runForLeader({ client, clock, log: silentLog, lease, identity: 'next', signal: ending.signal }, ended);
    // It has seen the lease and waits for its next try.
    while (clock.pending === before) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await cluster.get(leases, 'election')).spec.holderIdentity, 'gone');
    cluster.server.clock.advance('15s');
    await cluster.until(leases, 'election', (one) => one.spec.holderIdentity === 'next');
    ending.abort();
    await done;
    await cluster.server.close();
  });

  test(`a client certificate ends as soon as the clock is advanced past its end (${dialect})`, async () => {
    const { authority, serving } = await openIdentityFiles(join(folder, dialect), [], Date.now());
    const listen = { tls: { ...serving, clientCa: authority.cert } };
    const cluster = await Cluster.start({ dialect, listen, controllers: 'csrsigning', certificateSigning: { authority } });
    const requester = await newRequester();
    const { base64 } = await requester.make({ subject: person('jane') });
    const spec = { signerName: cluster.brand.names.clientSigner, usages: ['client auth'], request: base64, expirationSeconds: 3600 };
    const made = await cluster.make('certificates:certificatesigningrequests', { name: 'jane' }, { spec });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
    await cluster.ask('PUT', `${cluster.path('certificates:certificatesigningrequests', 'jane')}/approval`, { ...made, status: { conditions } });
    const { status } = await cluster.until('certificates:certificatesigningrequests', 'jane', (one) => one.status.certificate !== undefined);
    const cert = Buffer.from(status.certificate as string, 'base64').toString();
    const ask = (): Promise<number> =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port: cluster.server.server.port, path: '/api/v1/nodes', agent: false as const, ca: authority.cert, cert, key: requester.key };
        const asking = request(options, (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)));
        asking.on('error', reject);
        asking.end();
      });
    assert.equal(await ask(), 403, 'known, and without permission');
    cluster.server.clock.advance('61m');
    assert.equal(await ask(), 401);
    await cluster.server.close();
  });
}
