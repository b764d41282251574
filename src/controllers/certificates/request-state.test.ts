import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '#kinds';
import { CARE, keptUntilMs, stateOf, type RequestState } from './request-state.ts';

const HOUR_MS = 3_600_000;
const MADE = '2026-01-01T00:00:00Z';
const DECIDED = '2026-01-02T00:00:00Z';

const requestWith = (types: readonly string[], certificate?: string): CertificateSigningRequest =>
  ({
    metadata: { name: 'r', creationTimestamp: MADE },
    spec: {},
    status: { conditions: types.map((type) => ({ type, status: 'True', lastUpdateTime: DECIDED })), ...(certificate === undefined ? {} : { certificate }) },
  }) as unknown as CertificateSigningRequest;

const cases: readonly (readonly [types: readonly string[], certificate: string | undefined, state: RequestState, keptUntil: number | undefined])[] = [
  [[], undefined, 'pending', Date.parse(MADE) + 24 * HOUR_MS],
  [['Other'], undefined, 'pending', Date.parse(MADE) + 24 * HOUR_MS],
  [['Approved'], undefined, 'approved', undefined],
  [['Denied'], undefined, 'denied', Date.parse(DECIDED) + HOUR_MS],
  [['Failed'], undefined, 'failed', Date.parse(DECIDED) + HOUR_MS],
  [['Approved', 'Failed'], undefined, 'failed', Date.parse(DECIDED) + HOUR_MS],
  [['Denied', 'Failed'], undefined, 'failed', Date.parse(DECIDED) + HOUR_MS],
  [['Approved'], 'YQ==', 'issued', Date.parse(DECIDED) + HOUR_MS],
  [[], 'YQ==', 'issued', undefined],
];

for (const [types, certificate, state, keptUntil] of cases) {
  test(`${state === 'failed' ? 'R8-12 ' : ''}a request that is ${state}: ${types.join(', ') || 'no conditions'}${certificate ? ', a certificate' : ''}`, () => {
    const request = requestWith(types, certificate);
    assert.equal(stateOf(request), state);
    assert.equal(keptUntilMs(request, CARE[state]), keptUntil);
    assert.equal(CARE[state].isToBeSigned, state === 'approved');
  });
}
