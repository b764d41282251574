import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '#kinds';
import { keptUntilMs, stateOf, type RequestState } from './request-state.ts';

const HOUR_MS = 3_600_000;
const MADE = '2026-01-01T00:00:00Z';
const DECIDED = '2026-01-02T00:00:00Z';

const requestWith = (types: readonly string[], certificate?: string): CertificateSigningRequest =>
  ({
    metadata: { name: 'r', creationTimestamp: MADE },
    spec: {},
    status: { conditions: types.map((type) => ({ type, status: 'True', lastUpdateTime: DECIDED })), ...(certificate === undefined ? {} : { certificate }) },
  }) as unknown as CertificateSigningRequest;

const cases: readonly (readonly [types: readonly string[], certificate: string | undefined, state: RequestState, keptUntil: number])[] = [
  [[], undefined, 'pending', Date.parse(MADE) + 24 * HOUR_MS],
  [['Other'], undefined, 'pending', Infinity],
  [['Approved'], undefined, 'approved', Infinity],
  [['Denied'], undefined, 'denied', Date.parse(DECIDED) + HOUR_MS],
  [['Other', 'Denied'], undefined, 'denied', Date.parse(DECIDED) + HOUR_MS],
  [['Failed'], undefined, 'failed', Date.parse(DECIDED) + HOUR_MS],
  [['Approved', 'Failed'], undefined, 'failed', Date.parse(DECIDED) + HOUR_MS],
  [['Approved'], 'YQ==', 'issued', Date.parse(DECIDED) + HOUR_MS],
  [[], 'YQ==', 'issued', Date.parse(MADE) + 24 * HOUR_MS],
];

for (const [types, certificate, state, keptUntil] of cases) {
  test(`${state === 'failed' ? 'R8-12 ' : ''}a request that is ${state}: ${types.join(', ') || 'no conditions'}${certificate ? ', a certificate' : ''}`, () => {
    const request = requestWith(types, certificate);
    assert.equal(stateOf(request), state);
    assert.equal(keptUntilMs(request), keptUntil);
  });
}

test('of several conditions that end a request the first counts', () => {
  const request = requestWith(['Denied', 'Failed']);
  const [denied] = request.status.conditions ?? [];
  if (denied) denied.lastUpdateTime = MADE;
  assert.equal(keptUntilMs(request), Date.parse(MADE) + HOUR_MS);
});
