// Whom outbound calls trust whose certificate has the name of its issuer, as programs make them for themselves together with their authority.
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { askBackEnd, createHttpClient, TransportFailure } from '#transport';
import { FOR_CLIENT, forServer, WITHOUT_OPENSSL, Workshop, type Issuer, type Pair } from './openssl.ts';

const NAME = 'hook.own.svc';
/** So that OpenSSL has nothing to tell the two apart by but the signature. */
const WITHOUT_KEYS = 'authorityKeyIdentifier=none\nsubjectKeyIdentifier=none\n';

describe('a certificate with the name of its issuer', { skip: WITHOUT_OPENSSL }, () => {
  let made: Workshop;
  let [own, other]: Issuer[] = [];
  const stops: (() => void)[] = [];

  before(() => {
    made = new Workshop();
    [own, other] = [made.authority(NAME), made.authority(NAME)];
  });
  after(() => {
    for (const stop of stops) stop();
    made.close();
  });

  const leaf = (extensions = forServer(NAME)): Pair => made.issue(own as Issuer, `/CN=${NAME}`, `${extensions}${WITHOUT_KEYS}`);

  /** The port of a server that says `yes` on connections each of which ends with its answer. */
  async function serving(pair: Pair): Promise<number> {
    const server = createServer({ cert: pair.cert, key: pair.key }, (_request, response) => response.writeHead(200, { connection: 'close' }).end('yes'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => void server.close());
    return (server.address() as AddressInfo).port;
  }

  const textOf = (...chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();

  /** Two calls by each of the two ways out of here: to who is called again and again, and to who is called once. */
  async function answers(pair: Pair, authority: string, serverName = NAME): Promise<readonly string[]> {
    const port = await serving(pair);
    const client = createHttpClient({ server: `https://127.0.0.1:${port}`, authority, serverName, isVerified: true, namespace: '' });
    stops.push(() => client.close());
    const heard: string[] = [];
    for (const _ of [1, 2]) {
      heard.push(await outcome(async () => textOf((await client.request({ method: 'GET', path: '/' })).body)));
      heard.push(await outcome(() => once(port, authority, serverName)));
    }
    return heard;
  }

  async function once(port: number, authority: string, serverName: string): Promise<string> {
    const to = { isSecure: true, host: '127.0.0.1', port, serverName, trust: { authority }, isLocalRefused: false };
    const { chunks } = await askBackEnd(to, { method: 'GET', path: '/', headers: {}, signal: AbortSignal.timeout(10_000) });
    const read: Uint8Array[] = [];
    for await (const chunk of chunks) read.push(chunk);
    return textOf(...read);
  }

  const outcome = (ask: () => Promise<string>): Promise<string> =>
    ask().catch((failure: unknown) => (failure instanceof TransportFailure ? failure.code : String(failure)));

  const all = (word: string): readonly string[] => [word, word, word, word];

  test('is trusted where that issuer is, on every connection', async () => {
    assert.deepEqual(await answers(leaf(), (own as Issuer).cert), all('yes'));
    assert.deepEqual(await answers(leaf(), `${(other as Issuer).cert}${(own as Issuer).cert}`), all('yes'));
  });

  test('is not trusted on the word of another of that name', async () => {
    assert.deepEqual(await answers(leaf(), (other as Issuer).cert), all('untrusted'));
  });

  test('is trusted or not whatever else the authorities hold that is no certificate', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    assert.deepEqual(await answers(leaf(), broken + (own as Issuer).cert), all('yes'));
    assert.deepEqual(await answers(leaf(), broken), all('untrusted'));
  });

  test('is not trusted by another name than those it is for', async () => {
    assert.deepEqual(await answers(leaf(), (own as Issuer).cert, 'other.own.svc'), all('untrusted'));
  });

  test('is not trusted as a server that it is not for', async () => {
    assert.deepEqual(await answers(leaf(`subjectAltName=DNS:${NAME}\n${FOR_CLIENT}`), (own as Issuer).cert), all('untrusted'));
  });

  test('is not trusted on the word of one that may not issue', async () => {
    const below = made.issue(own as Issuer, `/CN=${NAME}`, 'basicConstraints=critical,CA:FALSE\n');
    const issued = made.issue(below, `/CN=${NAME}`, `${forServer(NAME)}${WITHOUT_KEYS}`);
    assert.deepEqual(await answers(issued, below.cert), all('untrusted'));
  });

  test('is not trusted when its time is over', async () => {
    const old = made.issue(own as Issuer, `/CN=${NAME}`, `${forServer(NAME)}${WITHOUT_KEYS}`, ['-days', '-1']);
    assert.deepEqual(await answers(old, (own as Issuer).cert), all('untrusted'));
  });
});
