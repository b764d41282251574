import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TurnedClock } from '#testing';
import { createAuthority, createServingCertificate } from './certificates.ts';
import { tellValidity, type InUse } from './tell-validity.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 3_600_000;
const authority = createAuthority(NOW_MS);
/** Lives a year. */
const serving = (madeMs: number): string => createServingCertificate(authority, ['orch.example'], madeMs).cert;
/** Everything that was ready to go on has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function tell(nowMs: number, inUse: () => InUse) {
  const clock = new TurnedClock(nowMs);
  const closing = new AbortController();
  const said: string[] = [];
  const log = { info() {}, error() {}, warn: (message: string, { certificate, subject }: Readonly<Record<string, unknown>> = {}) => void said.push(`${message} (${String(certificate)}, ${String(subject)})`) };
  tellValidity({ inUse: async () => inUse(), clock, log }, closing.signal);
  const turn = async (ms: number): Promise<readonly string[]> => {
    clock.turn(ms);
    await settled();
    return said.splice(0);
  };
  return { clock, closing, turn };
}

test('a certificate that ends soon, or has ended, is told once in each state, also while the server runs; its successor is not', async () => {
  let cert = serving(NOW_MS);
  const { turn, closing, clock } = tell(NOW_MS + 350 * DAY_MS, () => [['serving', cert], ['authority of clients', authority.cert]]);
  await settled();
  assert.deepEqual(await turn(0), []);
  assert.deepEqual(await turn(9 * DAY_MS), ['a certificate ends soon (serving, CN=orch-apiserver)']);
  assert.deepEqual(await turn(DAY_MS), []);
  assert.deepEqual(await turn(6 * DAY_MS), ['a certificate has ended: who checks it refuses it (serving, CN=orch-apiserver)']);
  cert = serving(NOW_MS + 366 * DAY_MS);
  assert.deepEqual(await turn(DAY_MS), []);
  closing.abort();
  assert.equal(clock.pending, 0);
});

test('a server without certificates keeps no timer for them', async () => {
  const { turn, clock } = tell(NOW_MS, () => [['serving', undefined]]);
  assert.deepEqual(await turn(0), []);
  assert.equal(clock.pending, 0);
});

test('a certificate that is not valid yet is told at once, each of a bundle; what is no certificate is left to others', async () => {
  const later = serving(NOW_MS + 10 * DAY_MS);
  const { turn } = tell(NOW_MS, () => [['serving', `${authority.cert}${later}`], ['signing', undefined], ['client of nodes', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']]);
  assert.deepEqual(await turn(0), ['a certificate is not valid yet: who checks it refuses it (serving, CN=orch-apiserver)']);
});
