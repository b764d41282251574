import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { TransportFailure } from './failure.ts';
import { readKubeconfig } from './kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-kubeconfig-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
function write(text: string): string {
  const path = join(folder, `config-${files++}`);
  writeFileSync(path, text);
  return path;
}

const config = (cluster: object, user: object): string =>
  JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'ns' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user }],
  });

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('readKubeconfig', () => {
  test('YAML, with data inside', async () => {
    const path = write(`
apiVersion: v1
kind: Config
current-context: one
contexts: [{name: one, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://host:1/prefix", certificate-authority-data: ${base64('AUTHORITY')}, tls-server-name: other}}]
users: [{name: u, user: {client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}}}]
`);
    assert.deepEqual(await readKubeconfig(path), {
      server: 'https://host:1/prefix',
      authority: 'AUTHORITY',
      serverName: 'other',
      isVerified: true,
      clientCertificate: { cert: 'CERT', key: 'KEY' },
      namespace: 'default',
    });
  });

  test('files are found beside the kubeconfig, and a token file is read again for every call', async () => {
    writeFileSync(join(folder, 'ca.pem'), 'AUTHORITY');
    writeFileSync(join(folder, 'token'), 'first\n');
    const connection = await readKubeconfig(write(config({ 'certificate-authority': 'ca.pem' }, { token: 'unused', tokenFile: 'token' })));
    assert.equal(connection.authority, 'AUTHORITY');
    assert.equal(connection.namespace, 'ns');
    assert.equal(await connection.token?.(), 'first');
    writeFileSync(join(folder, 'token'), 'second\n');
    assert.equal(await connection.token?.(), 'second');
  });

  test('a token file that is missing or empty for a moment leaves the token as it was; one that never held any is explained', async () => {
    const path = join(folder, 'swapped');
    writeFileSync(path, 'first');
    const read = async (): Promise<Awaited<ReturnType<typeof readKubeconfig>>['token']> => (await readKubeconfig(write(config({}, { tokenFile: 'swapped' })))).token;
    const token = await read();
    assert.equal(await token?.(), 'first');
    rmSync(path);
    assert.equal(await token?.(), 'first');
    await assert.rejects(async () => (await read())?.(), /token file .* cannot be read/);
    writeFileSync(path, '');
    assert.equal(await token?.(), 'first');
    writeFileSync(path, 'second');
    assert.equal(await token?.(), 'second');
  });

  test('a client certificate in files is read again when they are exchanged, one inside is not', async () => {
    const exchange = (text: string): void => ['cert', 'key'].forEach((name) => writeFileSync(join(folder, `client.${name}`), `${name} ${text}`));
    exchange('first');
    const inFiles = await readKubeconfig(write(config({}, { 'client-certificate': 'client.cert', 'client-key': 'client.key' })));
    const inside = await readKubeconfig(write(config({}, { 'client-certificate': 'client.cert', 'client-key-data': base64('key inside') })));
    exchange('second');
    const { cert, key, current } = inFiles.clientCertificate ?? {};
    assert.deepEqual([cert, key, await current?.()], ['cert first', 'key first', { cert: 'cert second', key: 'key second' }]);
    assert.deepEqual(inside.clientCertificate, { cert: 'cert first', key: 'key inside' });
  });

  test('of several files the first one that says something counts', async () => {
    const first = write(JSON.stringify({ users: [{ name: 'u', user: { token: 'mine' } }] }));
    const connection = await readKubeconfig([first, write(config({}, { token: 'theirs' }))].join(delimiter));
    assert.equal(await connection.token?.(), 'mine');
  });

  test('of several files those that are missing are passed over, unless all are', async () => {
    const missing = `${write('')}.missing`;
    const connection = await readKubeconfig([missing, write(config({}, { token: 'mine' })), missing].join(delimiter));
    assert.equal(await connection.token?.(), 'mine');
    for (const paths of [missing, [missing, missing].join(delimiter)]) await assert.rejects(readKubeconfig(paths), /kubeconfig .*\.missing cannot be read: ENOENT/);
  });

  test('what is empty or null counts as left out', async () => {
    const nothing = { exec: null, 'auth-provider': null, username: '', as: '', 'as-groups': null, token: '', tokenFile: null, 'client-certificate': '', 'client-key-data': null };
    const cluster = { 'proxy-url': '', 'certificate-authority': null, 'certificate-authority-data': '', 'tls-server-name': '', 'insecure-skip-tls-verify': null };
    const plain = { server: 'https://127.0.0.1:1', isVerified: true, namespace: 'ns' };
    assert.deepEqual(await readKubeconfig(write(config(cluster, nothing))), plain);
    const alone = { 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'c', user: '', namespace: '' } }], clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }] };
    for (const users of [null, [], [{ name: 'u', user: null }, { name: 'v' }]]) {
      assert.deepEqual(await readKubeconfig(write(JSON.stringify({ ...alone, users }))), { ...plain, namespace: 'default' });
    }
  });

  test('a server whose certificate is not to be verified needs no authority', async () => {
    const { isVerified, authority } = await readKubeconfig(write(config({ 'insecure-skip-tls-verify': true }, {})));
    assert.deepEqual([isVerified, authority], [false, undefined]);
  });

  const mistakes: readonly (readonly [string, string, RegExp])[] = [
    ['not YAML', 'a: [', /is not YAML/],
    ['a list', '[]', /empty or not a map/],
    ['no current context', '{}', /has no current-context/],
    ['no such context', '{current-context: gone}', /has no context "gone"/],
    ['lists that are none', '{current-context: x, users: 3}', /users must be a list/],
    ['a list with something else', '{current-context: x, clusters: [secret-password]}', /config-\d+: clusters\[0\] must have a name and a cluster$/],
    ['an entry without a name', '{current-context: x, clusters: [{name: c, cluster: {}}, {cluster: {}}]}', /clusters\[1\] must have a name and a cluster$/],
    ['an entry that says something else', '{current-context: x, users: [{name: u, user: secret-password}]}', /users\[0\] must have a name and a user$/],
    ['a context without a cluster', '{current-context: x, contexts: [{name: x}]}', /context "x": cluster is missing$/],
    ['a cluster without an address', config({ server: '' }, {}), /cluster "c": server is missing$/],
    ['an address that is none', config({ server: 'https://a b:1' }, {}), /server must be an address such as/],
    ['a proxy', config({ 'proxy-url': 'http://me:secret-password@host' }, {}), /proxy-url is not supported/],
    ['a key without certificate', config({}, { 'client-key-data': base64('A') }), /belong together/],
    ['an address with a password', config({ server: 'https://me:secret-password@host' }, {}), /server must be an address/],
    ['a contradiction', config({ 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64('A') }, {}), /contradict/],
    ['a certificate without key', config({}, { 'client-certificate-data': base64('A') }), /belong together/],
    ['another program', config({}, { exec: { command: 'x' } }), /exec is not supported/],
    ['another user', config({}, { token: 'secret-password', as: 'ann' }), /as is not supported/],
    ['another uid without a user', config({}, { token: 'secret-password', 'as-uid': '7' }), /as-uid is not supported/],
    ['other groups without a user', config({}, { token: 'secret-password', 'as-groups': ['dev'] }), /as-groups is not supported/],
    ['more about a user without one', config({}, { token: 'secret-password', 'as-user-extra': { scopes: ['a'] } }), /as-user-extra is not supported/],
    ['a token of several words', config({}, { token: 'secret-password b' }), /token must be one word/],
    ['a wrong type', config({}, { token: 3 }), /token must be a text/],
    ['no base64', config({ 'certificate-authority-data': 'secret-password!' }, {}), /certificate-authority-data must be base64/],
    ['a file that is missing', config({ 'certificate-authority': 'nowhere' }, {}), /certificate-authority of kubeconfig .* cannot be read/],
  ];
  for (const [name, text, message] of mistakes) {
    test(`${name} is explained, without secrets`, async () => {
      await assert.rejects(readKubeconfig(write(text)), (error) => {
        assert(error instanceof TransportFailure);
        assert.equal(error.code, 'configuration');
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /secret-password/);
        return true;
      });
    });
  }
});
