import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { silentLog } from '#base';
import { openEngine, StorageFailure } from '#storage';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';

const file = (name: string): string => fileURLToPath(new URL(`../../../../test/fixtures/tls/${name}`, import.meta.url));
const fails = (words: RegExp) => (error: unknown): boolean => error instanceof StorageFailure && error.code === 'unavailable' && words.test(error.message);

describe('etcd over TLS', { skip: NO_ETCD }, () => {
  let etcd: EtcdProcess;

  beforeEach(async () => {
    etcd = await EtcdProcess.start([`--cert-file=${file('server.crt')}`, `--key-file=${file('server.key')}`, `--trusted-ca-file=${file('ca.crt')}`, '--client-cert-auth']);
  });
  afterEach(() => etcd.remove());

  const open = (query: Record<string, string>, address = etcd.address): Promise<void> =>
    openEngine(`etcd://${address}?${new URLSearchParams(query).toString()}`).then(async (engine) => {
      assert.equal(await engine.head(), 1);
      await engine.close();
    });

  it('is reached with the authority and a client certificate, and not without either; what to do is said', async () => {
    await open({ cafile: file('ca.crt'), certfile: file('client.crt'), keyfile: file('client.key') });
    // What is no root is trusted as it stands.
    await open({ cafile: file('server.crt'), certfile: file('client.crt'), keyfile: file('client.key') });
    const plain = await EtcdProcess.start();
    await Promise.all([
      assert.rejects(open({ cafile: file('ca.crt') }), fails(/: [^:]*alert bad certificate\. It wants the certificate of a client that it trusts: .*--etcd-certfile/)),
      assert.rejects(open({ certfile: file('client.crt'), keyfile: file('client.key') }), fails(/: unable to get local issuer certificate\. Give the file of an authority .*--etcd-cafile$/)),
      assert.rejects(open({}), fails(/: Failed to connect\. Perhaps it hangs, or speaks with TLS alone: .*https:\/\//)),
      // It resets the connection where it has not read all of the handshake.
      assert.rejects(open({ cafile: file('ca.crt') }, plain.address), fails(/ (?:before secure TLS connection was established\. Perhaps it speaks without|read ECONNRESET\. Perhaps one of the two speaks with) TLS.*http:\/\//)),
      assert.rejects(open({ cafile: file('ca.crt') }, 'nowhere.invalid:1'), fails(/: Name resolution failed/)),
      assert.rejects(open({ cafile: file('ca.crt') }, '127.0.0.1:1'), fails(/: connect ECONNREFUSED 127\.0\.0\.1:1$/)),
      assert.rejects(open({ cafile: file('nowhere') }), /the cafile of etcd cannot be read/),
      assert.rejects(open({ certfile: file('client.crt') }), /both certfile and keyfile/),
    ]);
    await plain.remove();
  });

  it('is shown the client certificate that the files hold by now, once they belong together and are whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-etcd-tls-'));
    const put = (name: string, as: string): Promise<void> => copyFile(file(name), join(folder, as));
    await Promise.all([put('ca.crt', 'trusted'), put('client.crt', 'certificate'), put('client.key', 'key'), put('ca.crt', 'authority')]);
    const strict = await EtcdProcess.start([`--cert-file=${file('server.crt')}`, `--key-file=${file('server.key')}`, `--trusted-ca-file=${join(folder, 'trusted')}`, '--client-cert-auth']);
    const again = (): Promise<void> => strict.kill().then(() => strict.run());
    const query = new URLSearchParams({ cafile: join(folder, 'authority'), certfile: join(folder, 'certificate'), keyfile: join(folder, 'key') });
    const causes: unknown[] = [];
    const warn = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => void (/certificates/.test(message) && causes.push(fields['cause']));
    const engine = await openEngine(`etcd://${strict.address}?${query.toString()}`, { log: { ...silentLog, warn } });
    try {
      await Promise.all([put('stranger.crt', 'certificate'), writeFile(join(folder, 'authority'), '')]);
      await again();
      assert.equal(await engine.head(), 1);
      assert.match(String(causes), /^the cafile of etcd holds no certificate in the form PEM: [^,]*$/);
      // Now the other one alone is let in.
      await Promise.all([put('stranger.key', 'key'), put('ca.crt', 'authority'), put('stranger.crt', 'trusted')]);
      await again();
      assert.equal(await engine.head(), 1);
      assert.equal(causes.length, 1);
    } finally {
      await engine.close();
      await strict.remove();
      await rm(folder, { recursive: true });
    }
  });

  it('is not believed at an address that its certificate does not name', async () => {
    const [host = '', port = ''] = etcd.address.split(':');
    const elsewhere = createServer((socket) => {
      const member = connect(Number(port), host);
      member.on('error', () => socket.destroy());
      socket.on('error', () => member.destroy());
      socket.pipe(member).pipe(socket);
    }).listen(0, '127.0.0.2');
    await once(elsewhere, 'listening');
    const address = `127.0.0.2:${(elsewhere.address() as AddressInfo).port}`;
    await assert.rejects(open({ cafile: file('ca.crt'), certfile: file('client.crt'), keyfile: file('client.key') }, address), fails(/: Hostname\/IP does not match certificate's altnames: .*\. Give an address that its certificate names$/));
    elsewhere.close();
  });
});
