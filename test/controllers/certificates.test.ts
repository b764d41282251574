import 'reflect-metadata';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BasicConstraintsExtension } from '@peculiar/x509';
import { silentLog, systemClock } from '#base';
import { createClient, createControllerEnv, exchangeLocal } from '#client';
import { startControllers } from '#controllers';
import { openIdentityFiles } from '#server';
import { TEST_TOKENS, TurnedClock, type TestJson } from '#testing';
import { CLIENT_USAGES, newRequester, node, person, SERVER_USAGES, type Asked, type Requester } from '../support/certificate-requests.ts';
import { Cluster, DIALECTS } from './cluster.ts';

const REQUESTS = 'certificates:certificatesigningrequests';
const DAY_MS = 24 * 3_600_000;

const folder = mkdtempSync(join(tmpdir(), 'orch-certificates-'));
after(() => rmSync(folder, { recursive: true }));

const condition = (type: string): object => ({ type, status: 'True', reason: 'Test', message: '' });

async function ask(cluster: Cluster, name: string, made: { readonly base64: string }, spec: object, headers?: Record<string, string>): Promise<TestJson> {
  const body = { metadata: { name }, spec: { signerName: cluster.brand.names.clientSigner, usages: ['client auth'], request: made.base64, ...spec } };
  const { status, text, body: answer } = await cluster.server.request('POST', cluster.path(REQUESTS), body, headers);
  assert.equal(status, 201, text);
  return answer;
}

async function decide(cluster: Cluster, name: string, type: 'Approved' | 'Denied'): Promise<void> {
  const live = await cluster.get(REQUESTS, name);
  await cluster.ask('PUT', `${cluster.path(REQUESTS, name)}/approval`, { ...live, status: { conditions: [condition(type)] } });
}

const isIssued = (one: TestJson): boolean => one?.status.certificate !== undefined;
const pemOf = (one: TestJson): string => Buffer.from(one.status.certificate as string, 'base64').toString();

/** From the wish to the certificate. */
async function obtain(cluster: Cluster, requester: Requester, name: string, asked: Asked, spec: object = {}): Promise<string> {
  await ask(cluster, name, await requester.make(asked), spec);
  await decide(cluster, name, 'Approved');
  return pemOf(await cluster.until(REQUESTS, name, isIssued));
}

/** The certificate with something that is no time in the place of its end, which is the second of its times. */
function withoutEnd(pem: string): string {
  const der = Buffer.from(new X509Certificate(pem).raw);
  const [, end] = [...der.toString('latin1').matchAll(/\d{12}Z/g)];
  assert.ok(end);
  der.write('991399999999Z', end.index, 'latin1');
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

const openssl = (...words: readonly string[]): string => execFileSync('openssl', words, { encoding: 'utf8' });

function keep(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function call(cluster: Cluster, path: string, pair: { readonly cert: string; readonly key: string }, ca: string): Promise<{ readonly status: number; readonly text: string }> {
  const { port } = cluster.server.server;
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, agent: false, ca, ...pair }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asking.on('error', reject);
    asking.end();
  });
}

for (const dialect of DIALECTS) {
  describe(`certificates (${dialect})`, () => {
    let cluster: Cluster;
    let authority: { readonly cert: string; readonly key: string };
    const requesters: Requester[] = [];
    before(async () => {
      const identity = await openIdentityFiles(join(folder, dialect), [], Date.now());
      ({ authority } = identity);
      const listen = { tls: { ...identity.serving, clientCa: authority.cert } };
      cluster = await Cluster.start({ dialect, listen, certificateSigning: { authority }, rootCa: authority.cert, aggregateRoles: false });
      requesters.push(await newRequester('ec'), await newRequester('rsa'));
    });
    after(() => cluster.server.close());

    for (const [at, type] of (['ec', 'rsa'] as const).entries()) {
      test(`R2.12-14 R5.9-24 a certificate for a key of type ${type} passes verification and is a user of this very server`, async () => {
        const requester = requesters[at] as Requester;
        const names = [{ type: 'dns', value: 'jane.example.com' }, { type: 'ip', value: '::1' }] as const;
        const cert = await obtain(cluster, requester, `jane-${type}`, { subject: person('jane', 'dev', 'ops'), names: [...names] });
        const [ca, leaf] = [keep('ca.pem', authority.cert), keep('leaf.pem', cert)];
        assert.match(openssl('verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', ca, leaf), /OK/);
        const refusal = await call(cluster, '/api/v1/nodes', { cert, key: requester.key }, authority.cert);
        assert.equal(refusal.status, 403, refusal.text);
        assert.match(refusal.text, /User \\"jane\\" cannot list/);
      });
    }

    // Sorts that Web Crypto does not know, or not with this signature.
    for (const [title, words] of [
      ['EC on P-224', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp224r1', '-sha256']],
      ['EC on P-521 signed with SHA-1', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp521r1', '-sha1']],
      ['Ed25519', ['-newkey', 'ed25519']],
      ['RSA signed with padding', ['-newkey', 'rsa:2048', '-sha256', '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:-1']],
    ] as const) {
      test(`what is taken as a request is signed: ${title}`, async () => {
        const name = title.toLowerCase().replaceAll(' ', '-');
        const request = openssl('req', '-new', '-nodes', '-keyout', join(folder, 'sort.key'), '-subj', '/O=dev/CN=sort', ...words);
        const base64 = Buffer.from(request).toString('base64');
        await ask(cluster, name, { base64 }, {});
        await decide(cluster, name, 'Approved');
        const { status } = await cluster.until(REQUESTS, name, (one) => isIssued(one) || one.status.conditions.length > 1);
        const leaf = keep('sort.pem', Buffer.from(status.certificate ?? assert.fail(JSON.stringify(status)), 'base64').toString());
        assert.match(openssl('verify', '-x509_strict', '-CAfile', keep('ca.pem', authority.cert), leaf), /OK/);
        assert.equal(openssl('x509', '-noout', '-pubkey', '-in', leaf), openssl('pkey', '-in', join(folder, 'sort.key'), '-pubout'));
      });
    }

    test('R2.12-24 R2.12-25 names are taken over, everything else that was wished for is not: above all not the right to sign', async () => {
      const extensions = [new BasicConstraintsExtension(true, undefined, true)];
      const names = [{ type: 'dns', value: 'a.example.com' }, { type: 'ip', value: '192.0.2.7' }, { type: 'email', value: 'a@example.com' }, { type: 'url', value: 'spiffe://a/b' }] as const;
      const cert = new X509Certificate(await obtain(cluster, requesters[0] as Requester, 'modest', { subject: person('a'), names: [...names], extensions }, { usages: CLIENT_USAGES }));
      assert.equal(cert.ca, false);
      assert.equal(cert.subjectAltName, 'DNS:a.example.com, IP Address:192.0.2.7, email:a@example.com, URI:spiffe://a/b');
      const text = openssl('x509', '-noout', '-text', '-in', keep('modest.pem', cert.toString()));
      assert.match(text, /CA:FALSE/);
      assert.match(text, /Digital Signature, Key Encipherment\n/);
      assert.match(text, /TLS Web Client Authentication\n/);
      assert.match(text, /Authority Key Identifier/);
    });

    test('R2.12-20 a client may be nobody in particular, if it has a name otherwise', async () => {
      const cert = await obtain(cluster, requesters[0] as Requester, 'nobody', { subject: [], names: [{ type: 'dns', value: 'a.example.com' }] });
      assert.match(openssl('verify', '-x509_strict', '-CAfile', keep('ca.pem', authority.cert), keep('nobody.pem', cert)), /OK/);
      assert.match(openssl('x509', '-noout', '-text', '-in', join(folder, 'nobody.pem')), /Subject Alternative Name: critical/);
    });

    test('R2.12-35 R2.12-36 R2.12-37 serving certificates of nodes', async () => {
      const asked: Asked = { subject: node('n'), names: [{ type: 'dns', value: 'n.example.com' }] };
      const spec = { signerName: cluster.brand.names.nodeServingSigner, usages: SERVER_USAGES };
      const cert = await obtain(cluster, requesters[0] as Requester, 'serving', asked, spec);
      assert.match(openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', keep('ca.pem', authority.cert), keep('serving.pem', cert)), /OK/);
      await ask(cluster, 'serving-client', await (requesters[0] as Requester).make(asked), { ...spec, usages: CLIENT_USAGES });
      await decide(cluster, 'serving-client', 'Approved');
      const { status } = await cluster.until(REQUESTS, 'serving-client', (one) => isIssued(one) || one.status.conditions.length > 1);
      assert.equal(status.certificate !== undefined, dialect === 'orch', 'only in the dialect of the specification');
    });

    test('the request that is signed is the one that was judged: the first whole one of the text', async () => {
      const [first, second] = await Promise.all(['shown', 'judged'].map((name) => (requesters[0] as Requester).make({ subject: person(name) })));
      const textOf = (made: typeof first): string => Buffer.from(made?.base64 ?? '', 'base64').toString();
      const broken = textOf(first).replace('REQUEST-----\n', 'REQUEST-----\n!');
      await ask(cluster, 'two', { base64: Buffer.from(broken + textOf(second)).toString('base64') }, {});
      await decide(cluster, 'two', 'Approved');
      const { subject } = new X509Certificate(pemOf(await cluster.until(REQUESTS, 'two', isIssued)));
      assert.match(subject, /CN=judged/);
    });

    test('R2.12-48 R3.2-05 what somebody else signs is left alone, denied and pending requests too', async () => {
      const made = await (requesters[0] as Requester).make({ subject: person('a') });
      for (const [name, signerName] of [['foreign', 'example.com/signer'], ['denied', undefined], ['waiting', undefined]] as const) {
        await ask(cluster, name, made, signerName === undefined ? {} : { signerName });
      }
      await decide(cluster, 'foreign', 'Approved');
      await decide(cluster, 'denied', 'Denied');
      // The next one is signed, so those before it have been looked at.
      await obtain(cluster, requesters[0] as Requester, 'next', { subject: person('b') });
      for (const name of ['foreign', 'denied', 'waiting']) assert.equal((await cluster.get(REQUESTS, name)).status.certificate, undefined, name);
    });
  });

  describe(`approval of requests of nodes (${dialect})`, () => {
    let cluster: Cluster;
    let requester: Requester;
    const bind = async (role: string, ...users: readonly string[]): Promise<TestJson> => {
      const apiGroup = cluster.brand.group('rbac');
      const subjects = users.map((name) => ({ kind: 'User', apiGroup, name }));
      return cluster.make('rbac:clusterrolebindings', { name: role }, { roleRef: { apiGroup, kind: 'ClusterRole', name: role }, subjects });
    };
    const roleOf = (name: string): string => `system:certificates.${cluster.brand.names.shortDomain}:certificatesigningrequests:${name}`;
    before(async () => {
      cluster = await Cluster.start({ dialect, controllers: 'csrapproving', aggregateRoles: false });
      requester = await newRequester();
      const rules = [{ verbs: ['create'], apiGroups: [cluster.brand.group('certificates')], resources: ['certificatesigningrequests'] }];
      await cluster.make('rbac:clusterroles', { name: 'asks' }, { rules });
      await bind('asks', 'joiner', 'later', 'system:node:n', 'nobody');
      await bind(roleOf('nodeclient'), 'joiner');
      await bind(roleOf('selfnodeclient'), 'system:node:n');
    });
    after(() => cluster.server.close());

    async function wish(name: string, user: string, asked: Asked, spec: object = {}): Promise<void> {
      const whole = { signerName: cluster.brand.names.nodeClientSigner, usages: CLIENT_USAGES, ...spec };
      await ask(cluster, name, await requester.make(asked), whole, { 'impersonate-user': user });
    }

    const isDecided = (one: TestJson): boolean => (one?.status.conditions ?? []).length > 0;

    async function isApproved(name: string): Promise<void> {
      const { status } = await cluster.until(REQUESTS, name, isDecided);
      assert.deepEqual([status.conditions[0].type, status.conditions[0].reason], ['Approved', 'AutoApproved'], name);
    }

    test('R2.12-26 who may ask for certificates of nodes gets them approved, of any node, or of itself only', async () => {
      await wish('of-itself', 'system:node:n', { subject: node('n') });
      await wish('of-another', 'joiner', { subject: node('m') });
      await isApproved('of-itself');
      await isApproved('of-another');
    });

    test('R2.12-19 R2.12-32 nothing else is approved: other signers, other nodes, other authors, and what could not be signed', async () => {
      const { clientSigner, nodeServingSigner } = cluster.brand.names;
      await wish('other-node', 'system:node:n', { subject: node('m') });
      await wish('no-permission', 'nobody', { subject: node('n') });
      await wish('a-client', 'joiner', { subject: node('n') }, { signerName: clientSigner });
      await wish('serving', 'joiner', { subject: node('n'), names: [{ type: 'dns', value: 'n' }] }, { signerName: nodeServingSigner, usages: SERVER_USAGES });
      await wish('unsignable', 'joiner', { subject: person('jane', 'system:masters') });
      // One worker takes them in order: those before this one have been looked at.
      await wish('fence', 'joiner', { subject: node('fence') });
      await isApproved('fence');
      for (const name of ['other-node', 'no-permission', 'a-client', 'serving', 'unsignable']) {
        assert.equal(isDecided(await cluster.get(REQUESTS, name)), false, name);
      }
    });

    test('a permission that comes later counts for what waits', async () => {
      await wish('early', 'later', { subject: node('early') });
      await bind('later-role', 'later');
      const rules = [{ verbs: ['create'], apiGroups: [cluster.brand.group('certificates')], resources: ['certificatesigningrequests/nodeclient'] }];
      await cluster.make('rbac:clusterroles', { name: 'later-role' }, { rules });
      await isApproved('early');
    });
  });

  describe(`time (${dialect})`, () => {
    let cluster: Cluster;
    let requester: Requester;
    const clock = new TurnedClock(Math.floor(Date.now() / 1000) * 1000);
    before(async () => {
      cluster = await Cluster.start({ dialect, clock, controllers: 'csrsigning,csrcleaner', certificateSigning: { longestMs: 30 * DAY_MS }, aggregateRoles: false });
      requester = await newRequester();
    });
    after(() => cluster.server.close());

    const MINUTE_MS = 60_000;
    const lives: readonly (readonly [asked: number | undefined, ms: number])[] = [
      [undefined, 30 * DAY_MS],
      [365 * 24 * 3600, 30 * DAY_MS],
      [24 * 3600, DAY_MS],
      [600, 15 * MINUTE_MS],
    ];

    test('R2.12-44 R2.12-46 R2.12-47 a certificate lives as long as was asked for, and no longer than the setting', async () => {
      for (const [at, [expirationSeconds, ms]] of lives.entries()) {
        const spec = expirationSeconds === undefined ? {} : { expirationSeconds };
        const { validFrom, validTo } = new X509Certificate(await obtain(cluster, requester, `life-${at}`, { subject: person('a') }, spec));
        assert.equal(Date.parse(validFrom), clock.nowMs() - 5 * MINUTE_MS);
        assert.equal(Date.parse(validTo) - Date.parse(validFrom), ms, `${expirationSeconds}`);
      }
      for (const at of lives.keys()) await cluster.delete(REQUESTS, `life-${at}`);
    });

    test('R3.2-09 R3.2-10 R3.2-11 R3.2-13 R8-10 R8-11 R8-13 R8-14 decided requests go after an hour, forgotten ones after a day, all when their certificate ends', async () => {
      const made = await requester.make({ subject: person('a') });
      await ask(cluster, 'forgotten', made, {});
      await ask(cluster, 'denied', made, {});
      await decide(cluster, 'denied', 'Denied');
      await obtain(cluster, requester, 'issued', { subject: person('a') });
      await obtain(cluster, requester, 'short', { subject: person('a') }, { expirationSeconds: 600 });
      await ask(cluster, 'unsigned', made, { signerName: 'example.com/signer' });
      await decide(cluster, 'unsigned', 'Approved');
      cluster.server.clock.advance('10m');
      await cluster.gone(REQUESTS, 'short');
      cluster.server.clock.advance('49m59s');
      for (const name of ['forgotten', 'denied', 'issued', 'unsigned']) assert.equal(await cluster.isThere(REQUESTS, name), true, name);
      cluster.server.clock.advance('1s');
      await cluster.gone(REQUESTS, 'denied');
      await cluster.gone(REQUESTS, 'issued');
      assert.equal(await cluster.isThere(REQUESTS, 'forgotten'), true);
      cluster.server.clock.advance('23h');
      await cluster.gone(REQUESTS, 'forgotten');
      assert.equal(await cluster.isThere(REQUESTS, 'unsigned'), true, 'its signer may take its time');
    });

    test('a certificate whose end is no time does not end: its request goes after an hour', async () => {
      await ask(cluster, 'endless', await requester.make({ subject: person('a') }), { signerName: 'example.com/endless' });
      await decide(cluster, 'endless', 'Approved');
      const certificate = withoutEnd(await obtain(cluster, requester, 'ending', { subject: person('a') }, { expirationSeconds: 600 }));
      assert.equal(new X509Certificate(certificate).validTo, 'Bad time value');
      const live = await cluster.get(REQUESTS, 'endless');
      const status = { ...live.status, certificate: Buffer.from(certificate).toString('base64') };
      await cluster.ask('PUT', `${cluster.path(REQUESTS, 'endless')}/status`, { ...live, status });
      cluster.server.clock.advance('10m');
      await cluster.gone(REQUESTS, 'ending');
      assert.equal(await cluster.isThere(REQUESTS, 'endless'), true);
      cluster.server.clock.advance('50m');
      await cluster.gone(REQUESTS, 'endless');
    });
  });
}

test('a signer with an authority of its own signs with that one, the others with the one of all', async () => {
  const { authority } = await openIdentityFiles(join(folder, 'all'), [], Date.now());
  const { authority: another } = await openIdentityFiles(join(folder, 'serving'), [], Date.now());
  const certificateSigning = { authority, bySigner: { nodeServingSigner: another } };
  const cluster = await Cluster.start({ certificateSigning, controllers: 'csrsigning', aggregateRoles: false });
  const { nodeServingSigner, nodeClientSigner } = cluster.brand.names;
  const requester = await newRequester();
  const asked: Asked = { subject: node('n'), names: [{ type: 'dns', value: 'n.example.com' }] };
  const serving = await obtain(cluster, requester, 'serving', asked, { signerName: nodeServingSigner, usages: SERVER_USAGES });
  const client = await obtain(cluster, requester, 'client', { subject: node('n') }, { signerName: nodeClientSigner, usages: CLIENT_USAGES });
  const isBy = (cert: string, { cert: issuer }: { readonly cert: string }): boolean => new X509Certificate(cert).verify(new X509Certificate(issuer).publicKey);
  assert.deepEqual([isBy(serving, another), isBy(serving, authority), isBy(client, authority), isBy(client, another)], [true, false, true, false]);
  await cluster.server.close();
});

test('a certificate ends with its authority at the latest, and an authority that has ended signs nothing', { timeout: 20_000 }, async () => {
  const { authority } = await openIdentityFiles(join(folder, 'ending'), [], Date.now());
  const { authority: another } = await openIdentityFiles(join(folder, 'lasting'), [], Date.now() + 30 * DAY_MS);
  const endsMs = Date.parse(new X509Certificate(authority.cert).validTo);
  const clock = new TurnedClock(endsMs - 3_600_000);
  const certificateSigning = { authority, bySigner: { nodeClientSigner: another } };
  const cluster = await Cluster.start({ clock, certificateSigning, controllers: 'csrsigning', aggregateRoles: false });
  const requester = await newRequester();
  const last = new X509Certificate(await obtain(cluster, requester, 'last', { subject: person('a') }, { expirationSeconds: 24 * 3_600 }));
  assert.equal(Date.parse(last.validTo), endsMs);
  clock.turn(3_600_000);
  await ask(cluster, 'late', await requester.make({ subject: person('a') }), {});
  await decide(cluster, 'late', 'Approved');
  await obtain(cluster, requester, 'other', { subject: node('n') }, { signerName: cluster.brand.names.nodeClientSigner, usages: CLIENT_USAGES });
  const { status } = await cluster.get(REQUESTS, 'late');
  assert.deepEqual([status.certificate, status.conditions.length], [undefined, 1], 'it waits for an authority');
  await cluster.server.close();
});

test('an authority that cannot be used at first signs once it can', { timeout: 20_000 }, async () => {
  const { authority } = await openIdentityFiles(join(folder, 'at-first'), [], Date.now());
  const cluster = await Cluster.start({ controllers: 'none', aggregateRoles: false });
  const client = createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const ending = new AbortController();
  const env = createControllerEnv({ client, clock: systemClock, log: silentLog, signal: ending.signal });
  let asked = 0;
  const authorityOf = async () => (asked++ === 0 ? { ...authority, key: 'half of it is written' } : authority);
  const signing = { authorityOf, longestMs: DAY_MS, verifySignature: () => true };
  const running = startControllers(new Set(['csrsigning']), { ...env, signing } as typeof env);
  await obtain(cluster, await newRequester(), 'patient', { subject: person('a') });
  await obtain(cluster, await newRequester(), 'next', { subject: person('a') });
  assert.equal(asked, 2, 'it is read until it can be used, and kept');
  await running.stop();
  ending.abort();
  await cluster.server.close();
});

test('what was approved before the server ended is signed after it has started again', async () => {
  const store = `lmdb://${join(folder, 'store')}`;
  const requester = await newRequester();
  const made = await requester.make({ subject: person('a') });
  const { authority } = await openIdentityFiles(join(folder, 'restarted'), [], Date.now());
  const options = { store, certificateSigning: { authority }, controllers: 'csrsigning', aggregateRoles: false };
  const names: string[] = [];
  for (let round = 0; round < 20; round++) {
    const cluster = await Cluster.start(options);
    for (const name of names.slice(-1)) await cluster.until(REQUESTS, name, isIssued);
    names.push(`round-${round}`);
    await ask(cluster, `round-${round}`, made, {});
    await decide(cluster, `round-${round}`, 'Approved');
    // The end comes a little later in every round: before, while and after the request is signed.
    for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
    await cluster.server.close();
  }
  const cluster = await Cluster.start(options);
  for (const name of names) await cluster.until(REQUESTS, name, isIssued);
  await cluster.server.close();
});
