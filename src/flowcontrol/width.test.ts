import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestOf } from './test-support.ts';
import { seatsOf } from './width.ts';

const TABLE: readonly (readonly [line: string, stored: number | undefined, seats: number])[] = [
  ['GET /api/v1/pods/x', 100_000, 1],
  ['POST /api/v1/namespaces/n/pods', 100_000, 1],
  ['GET /healthz', 100_000, 1],
  ['GET /api/v1/pods?watch=1', 100_000, 1],
  ['GET /api/v1/pods', 100, 1],
  ['GET /api/v1/pods', 101, 2],
  ['GET /api/v1/pods', 1_000_000, 10],
  ['GET /api/v1/pods', undefined, 1],
  ['GET /api/v1/pods?limit=500', 1_000_000, 5],
  ['GET /api/v1/pods?limit=500', 120, 2],
  ['GET /api/v1/pods?limit=500', undefined, 5],
  ['GET /api/v1/pods?limit=500&labelSelector=a', 1_000_000, 10],
  ['GET /api/v1/pods?limit=500&labelSelector=a', undefined, 5],
  ['GET /api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Da', 1_000_000, 10],
  ['GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Da', 1_000_000, 1],
  ['GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%21%3Da', 1_000_000, 10],
  ['GET /api/v1/pods?limit=1', 250, 1],
  ['GET /api/v1/pods?limit=-5', 250, 3],
  ['GET /api/v1/pods?limit=x', 250, 3],
];

for (const [line, stored, seats] of TABLE) {
  test(`${line} of ${stored ?? 'nobody knows how many'} takes ${seats}`, () => assert.equal(seatsOf(requestOf('a', line), () => stored), seats));
}
