import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListenerTls } from '#http';
import { TurnedClock } from '#testing';
import { keepTlsCurrent } from './tls-reload.ts';
import { listenerTls, TLS_CIPHER_SUITES, type TlsMaterial } from './tls-options.ts';

const OLD = { cert: 'old', key: 'old', clientCa: 'ca' };
/** Everything that was ready to go on has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

interface Kept {
  readonly clock: TurnedClock;
  readonly used: readonly ListenerTls[];
  readonly told: readonly ListenerTls[];
  readonly said: readonly string[];
  readonly closing: AbortController;
  look(): Promise<void>;
}

function keep(read: () => Promise<TlsMaterial>): Kept {
  const clock = new TurnedClock();
  const closing = new AbortController();
  const [used, told, said]: [ListenerTls[], ListenerTls[], string[]] = [[], [], []];
  const listener = {
    replaceTls(tls: ListenerTls): void {
      if (tls.cert !== tls.key) throw new Error('they do not fit');
      used.push(tls);
    },
  };
  const say = (message: string, fields: object = {}): void => void said.push(`${message} ${JSON.stringify(fields)}`);
  keepTlsCurrent({ listener, tls: { ...OLD, minVersion: 'TLSv1.3' }, read, exchanged: (tls) => void told.push(tls), clock, log: { info() {}, warn: say, error: say } }, closing.signal);
  const look = (): Promise<void> => {
    clock.turn(10_000);
    return settled();
  };
  return { clock, used, told, said, closing, look };
}

test('what is new is used once; the rest stays as it was', async () => {
  let files: TlsMaterial = OLD;
  const { used, told, said, look } = keep(async () => files);
  await look();
  assert.equal(used.length, 0);
  files = { cert: 'new', key: 'new', clientCa: 'ca' };
  await look();
  await look();
  assert.deepEqual(used, [{ cert: 'new', key: 'new', clientCa: 'ca', minVersion: 'TLSv1.3' }]);
  files = { cert: 'new', key: 'new', clientCa: 'other' };
  await look();
  assert.deepEqual(used[1]?.clientCa, 'other');
  assert.deepEqual(told, used);
  assert.deepEqual(said, []);
});

test('half an exchange and a file that is gone are said once, and the old ones stay', async () => {
  let read = async (): Promise<TlsMaterial> => ({ cert: 'new', key: 'old' });
  const { used, told, said, look } = keep(() => read());
  await look();
  await look();
  assert.deepEqual([used.length, told.length, said.length], [0, 0, 1]);
  assert.match(said[0] ?? '', /they do not fit/);
  read = () => Promise.reject(new Error('gone'));
  await look();
  assert.match(said[1] ?? '', /gone/);
  read = async () => ({ cert: 'new', key: 'new' });
  await look();
  assert.equal(used[0]?.cert, 'new');
});

test('what is wrong is said again once all was well, and not while it is found in another order', async () => {
  let files: readonly string[] = ['cert', 'key'];
  const { said, look } = keep(async () => {
    const [gone] = files;
    if (gone !== undefined) throw new Error(`${gone} is gone`);
    return OLD;
  });
  await look();
  files = ['key', 'cert'];
  await look();
  files = ['cert', 'key'];
  await look();
  assert.equal(said.length, 2);
  files = [];
  await look();
  files = ['cert', 'key'];
  await look();
  assert.match(said[2] ?? '', /cert is gone/);
});

test('nothing is looked at after the end', async () => {
  let count = 0;
  const { clock, closing, look } = keep(async () => {
    count++;
    return OLD;
  });
  await look();
  closing.abort();
  assert.equal(clock.pending, 0);
  await look();
  assert.equal(count, 1);
});

test('versions and cipher suites have the names of Go; unknown ones are told with the known ones', () => {
  assert.equal(listenerTls({ ...OLD, minVersion: 'VersionTLS13' }).minVersion, 'TLSv1.3');
  const { ciphers } = listenerTls({ ...OLD, cipherSuites: ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256'] });
  assert.equal(ciphers, 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-CHACHA20-POLY1305');
  assert.throws(() => listenerTls({ ...OLD, minVersion: 'constructor' }), /^Error: tls-min-version: "constructor" is not known; there are VersionTLS10, /);
  assert.throws(() => listenerTls({ ...OLD, cipherSuites: ['constructor'] }), new RegExp(`^Error: tls-cipher-suites: "constructor" is not known; there are ${TLS_CIPHER_SUITES.join(', ')}$`));
});
