import { apply, track } from '#apply';
import { objectTypeOf } from '#api';
import { bytesScalar, decode, stringScalar, t } from '#schema';

class ConfigMap extends t.message('bench.ConfigMap', {
  immutable: t.maybe.bool(4),
  data: t.map(2, stringScalar),
  binaryData: t.map(3, bytesScalar),
}) {}

/** What tracking and applying cost for a ConfigMap of ten entries. Runs for two seconds at most. */
const type = objectTypeOf(ConfigMap);
const data = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`key-${at}`, `value-${at}`]));
const base = { type, apiVersion: 'v1', subresource: '', nowMs: 0 };
const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b', uid: '1', labels: { app: 'x' } }, data };
const live = track({ ...base, live: undefined, next: decode(type, body), manager: 'one' });
const changed = decode(type, { ...live, data: { ...data, 'key-3': 'other' } });
const same = decode(type, live);
const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
const asking = { ...base, config, manager: 'm', isForced: false, kind: 'ConfigMap', defaults() {} };
const applied = apply({ ...asking, live: undefined }).object;

const RUNS: readonly (readonly [name: string, run: () => unknown])[] = [
  ['track create', () => track({ ...base, live: undefined, next: same, manager: 'one' })],
  ['track update', () => track({ ...base, live, next: changed, manager: 'two' })],
  ['track no-op', () => track({ ...base, live, next: same, manager: 'two' })],
  ['apply no-op', () => apply({ ...asking, live: applied })],
];

const BUDGET_MS = 400;
for (const [name, run] of RUNS) {
  for (let at = 0; at < 500; at++) run();
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < BUDGET_MS) {
    for (let at = 0; at < 100; at++) run();
    count += 100;
  }
  console.log(`${name.padEnd(14)} ${(((performance.now() - start) * 1000) / count).toFixed(1)} µs`);
}
