// What the flags of authentication mean to a server that is started with them, its files and its neighbours being real.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { createLocalJWKSet, importSPKI, jwtVerify, type JSONWebKeySet } from 'jose';
import type { TestJson } from '#testing';
import { orch } from '../cli/orch-command.ts';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { makeAuthority, type MadePair } from './made-certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-authentication-flags-'));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

interface Answer {
  readonly status: number;
  readonly body: TestJson;
}

function ask(server: ServerProcess, path: string, { method = 'GET', token, body, pair, headers = {} }: { method?: string; token?: string; body?: object; pair?: MadePair; headers?: object } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
    const asking = request(`${server.url}${path}`, { method, agent: false, rejectUnauthorized: false, headers: all, ...pair }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as TestJson }));
    });
    asking.on('error', reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const userOf = ({ status, body }: Answer): string => (status === 403 ? (/User "([^"]*)"/.exec(body.message as string)?.[1] ?? '') : String(status));

/** A new key: the private part in a file, the public one as text. */
function keyFile(name: string): { readonly file: string; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return { file: file(name, privateKey.export({ type: 'sec1', format: 'pem' }).toString()), publicPem };
}

describe('flags of authentication', () => {
  const [signing, ofSecrets] = [keyFile('signing.key'), keyFile('secrets.key')];
  const asked: { readonly body: TestJson; readonly by: string }[] = [];
  let closeReviewer = (): void => {};
  let server: ServerProcess;
  let proxies: Readonly<Record<'first' | 'second' | 'stranger', MadePair>>;

  before(async () => {
    const [hooks, first, second, strangers] = await Promise.all([makeAuthority('hooks'), makeAuthority('first'), makeAuthority('second'), makeAuthority('strangers')]);
    const listening = createServer({ ...(await hooks.issue({ commonName: 'reviewer', usage: 'server' })), ca: hooks.cert, requestCert: true });
    listening.on('request', (incoming, response) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.on('end', () => {
        const body = JSON.parse(text) as TestJson;
        asked.push({ body, by: String((incoming.socket as TLSSocket).getPeerCertificate().subject.CN) });
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ apiVersion: body.apiVersion, kind: 'TokenReview', status: { authenticated: body.spec.token === 'good', user: { username: 'jane' } } }));
      });
    });
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    closeReviewer = () => listening.close().closeAllConnections();
    const proxyOf = (by: typeof first): Promise<MadePair> => by.issue({ commonName: 'front' });
    proxies = { first: await proxyOf(first), second: await proxyOf(second), stranger: await proxyOf(strangers) };
    const own = await hooks.issue({ commonName: 'api' });
    const connection = {
      clusters: [{ name: 'reviewer', cluster: { server: `https://127.0.0.1:${(listening.address() as AddressInfo).port}/review`, 'certificate-authority': file('hooks.crt', hooks.cert) } }],
      users: [{ name: 'api', user: { 'client-certificate': file('api.crt', own.cert), 'client-key': file('api.key', own.key) } }],
      contexts: [{ name: 'review', context: { cluster: 'reviewer', user: 'api' } }],
      'current-context': 'review',
    };
    server = await startServerProcess({
      flags: [
        '--store=memory://',
        '--controllers=serviceaccount-token',
        `--authentication-token-webhook-config-file=${file('webhook.kubeconfig', JSON.stringify(connection))}`,
        '--authentication-token-webhook-version=v1',
        `--requestheader-client-ca-file=${file('proxies.crt', `${first.cert}\n${second.cert}`)}`,
        '--requestheader-username-headers=X-Remote-User',
        `--service-account-signing-key-file=${signing.file}`,
        `--service-account-private-key-file=${ofSecrets.file}`,
        '--external-hostname=api.example.com:8443',
      ],
    });
  });
  after(async () => {
    await server.stop();
    closeReviewer();
  });

  test('R5.5-01 R5.5-02 R5.5-03 R5.5-06 R5.5-08 the connection file says who is asked about tokens, and the bare version in which words', async () => {
    assert.equal(userOf(await ask(server, '/api/v1/nodes', { token: 'good' })), 'jane');
    assert.equal(userOf(await ask(server, '/api/v1/nodes', { token: 'bad' })), '401');
    assert.deepEqual(asked.map(({ by, body }) => [by, body.apiVersion, body.spec.token]), [['api', 'authentication.orch.io/v1', 'good'], ['api', 'authentication.orch.io/v1', 'bad']]);
  });

  test('R5.6-08 every authority of the bundle vouches for proxies, no other does', async () => {
    const headers = { 'x-remote-user': 'tom' };
    for (const pair of [proxies.first, proxies.second]) assert.equal(userOf(await ask(server, '/api/v1/nodes', { pair, headers })), 'tom');
    assert.equal(userOf(await ask(server, '/api/v1/nodes', { pair: proxies.stranger, headers })), '401');
  });

  test('R5.9-19 tokens in Secrets are signed with the key for them, tokens that are asked for with the other, and both are accepted', async () => {
    const [token, at] = ['admintoken', '/api/v1/namespaces/default'];
    const account = await ask(server, `${at}/serviceaccounts`, { method: 'POST', token, body: { metadata: { name: 'robot' } } });
    assert.equal(account.status, 201);
    const secret = { metadata: { name: 'robot', annotations: { 'orch.io/service-account.name': 'robot' } }, type: 'orch.io/service-account-token' };
    const made = await ask(server, `${at}/secrets`, { method: 'POST', token, body: secret });
    const inSecret = await tokenIn(made.body);
    const bound = (await ask(server, `${at}/serviceaccounts/robot/token`, { method: 'POST', token, body: { spec: {} } })).body.status.token as string;
    const isSignedBy = (text: string, { publicPem }: typeof signing): Promise<boolean> => importSPKI(publicPem, 'ES256').then((key) => jwtVerify(text, key)).then(() => true, () => false);
    assert.deepEqual([await isSignedBy(inSecret, ofSecrets), await isSignedBy(inSecret, signing)], [true, false]);
    assert.deepEqual([await isSignedBy(bound, ofSecrets), await isSignedBy(bound, signing)], [false, true]);
    const keys = createLocalJWKSet((await ask(server, '/openid/v1/jwks', { token })).body as unknown as JSONWebKeySet);
    for (const one of [inSecret, bound]) {
      assert.equal(userOf(await ask(server, '/api/v1/nodes', { token: one })), 'system:serviceaccount:default:robot');
      assert.equal((await jwtVerify(one, keys)).payload.sub, 'system:serviceaccount:default:robot');
    }
  });

  test('the keys of tokens are found where clients on other machines reach the server', async () => {
    const { body } = await ask(server, '/.well-known/openid-configuration', { token: 'admintoken' });
    assert.deepEqual([body.issuer, body.jwks_uri], ['https://orch.default.svc', 'https://api.example.com:8443/openid/v1/jwks']);
  });

  /** Waits, by a watch, until the controller has put a token into the Secret. */
  function tokenIn({ metadata }: TestJson): Promise<string> {
    const path = `/api/v1/namespaces/default/secrets?watch=1&fieldSelector=metadata.name%3D${metadata.name}&resourceVersion=${metadata.resourceVersion}`;
    return new Promise((resolve, reject) => {
      const watching = request(`${server.url}${path}`, { agent: false, rejectUnauthorized: false, headers: { authorization: 'Bearer admintoken' } }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          const found = /"token":"([^"]+)"/.exec(text)?.[1];
          if (found === undefined) return;
          watching.destroy();
          resolve(Buffer.from(found, 'base64').toString());
        });
      });
      watching.on('error', reject);
      watching.end();
    });
  }

  const key = `--service-account-key-file=${join(folder, 'signing.key')}`;
  const mistakes: readonly (readonly [what: string, flags: readonly string[], message: RegExp])[] = [
    ['R5.5-01 a connection file that is not there', ['--authentication-token-webhook-config-file=nowhere'], /--authentication-token-webhook-config-file: .*nowhere/],
    ['R5.5-08 a version with its group', ['--authentication-token-webhook-version=authentication.orch.io/v1'], /--authentication-token-webhook-version.*v1beta1.*v1/],
    ['R5.6-08 a header of proxies without their authorities', ['--requestheader-username-headers=X-Remote-User'], /without --requestheader-client-ca-file/],
    ['R5.6-08 a bundle without a certificate', [`--requestheader-client-ca-file=${signing.file}`, '--requestheader-username-headers=X-Remote-User'], /--requestheader-client-ca-file/],
    ['R5.6-01 authorities of proxies without a header', [`--requestheader-client-ca-file=${join(folder, 'proxies.crt')}`], /requestheader-username-headers/],
    ['R5.9-19 a key of Secrets that is not there', ['--service-account-private-key-file=nowhere'], /--service-account-private-key-file: cannot read nowhere/],
    ['R5.9-19 a key of Secrets that is none', [`--service-account-private-key-file=${file('none.key', 'none')}`], /service-account-private-key-file/],
    ['keys to check tokens with, and none to sign them', [key], /--service-account-key-file is given without --service-account-signing-key-file/],
  ];
  for (const [what, flags, message] of mistakes) {
    test(`${what} ends the start with words about it`, async () => {
      const { code, err } = await orch(['serve', '--secure-port=0', '--store=memory://', ...flags], { cwd: folder });
      assert.notEqual(code, 0);
      assert.match(err, message);
    });
  }
});
