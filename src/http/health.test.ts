import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequest } from '#request';
import { createHealth, type HealthCheck } from './health.ts';
import { exchange } from './in-process.ts';

const fine = (): undefined => undefined;
let etcd: string | undefined;
const checks: readonly HealthCheck[] = [
  { name: 'ping', check: fine },
  { name: 'log', check: fine },
  { name: 'etcd', check: () => etcd },
  { name: 'informer-sync', check: fine, only: 'readyz' },
  { name: 'poststarthook/rbac/bootstrap-roles', check: fine },
  { name: 'shutdown', check: fine, only: 'readyz' },
];
const health = createHealth(checks);
const missing = { status: 404, headers: {}, body: new Uint8Array(0) };

async function ask(path: string, method = 'GET'): Promise<readonly [number, string, Readonly<Record<string, string>>]> {
  const answer = await exchange((received) => health(Object.assign(received, { info: parseRequest('GET', received.path, received.query) })) ?? Promise.resolve(missing), { path, method });
  assert.ok('body' in answer);
  return [answer.status, new TextDecoder().decode(answer.body), answer.headers];
}

test('R4.13-01 R4.13-02 R4.13-04 R4.13-09 the three probes answer ok, whatever the method', async () => {
  for (const path of ['/healthz', '/livez', '/readyz']) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const [status, text, headers] = await ask(path, method);
      assert.deepEqual([status, text, headers['content-type'], headers['x-content-type-options']], [200, 'ok', 'text/plain; charset=utf-8', 'nosniff']);
    }
  }
});

test('one check that passed answers ok, without the header that a whole probe and a failure have', async () => {
  const sniffing = async (path: string): Promise<readonly unknown[]> => {
    const [status, text, headers] = await ask(path);
    return [status, text.slice(0, 2), headers['content-type'], headers['x-content-type-options']];
  };
  assert.deepEqual(await sniffing('/livez/ping'), [200, 'ok', 'text/plain; charset=utf-8', undefined]);
  assert.deepEqual(await sniffing('/livez'), [200, 'ok', 'text/plain; charset=utf-8', 'nosniff']);
});

test('R4.13-10 R4.13-11 verbose prints a line per check and the verdict', async () => {
  const common = '[+]ping ok\n[+]log ok\n[+]etcd ok\n';
  const roles = '[+]poststarthook/rbac/bootstrap-roles ok\n';
  assert.equal((await ask('/livez?verbose'))[1], `${common}${roles}livez check passed\n`);
  assert.equal((await ask('/healthz?verbose=1'))[1], `${common}${roles}healthz check passed\n`);
  assert.equal((await ask('/readyz?verbose'))[1], `${common}[+]informer-sync ok\n${roles}[+]shutdown ok\nreadyz check passed\n`);
});

test('R4.13-13 R4.13-14 excluded checks are not run; names that match nothing are named', async () => {
  etcd = 'disk on fire';
  try {
    const [status, text] = await ask('/livez?exclude=etcd&exclude=nothing&exclude=a,b&verbose');
    assert.equal(status, 200);
    assert.match(text, /\[\+\]etcd excluded: ok\n/);
    assert.match(text, /\nwarn: some health checks cannot be excluded: no matches for "a,b", "nothing"\nlivez check passed\n$/);
  } finally {
    etcd = undefined;
  }
});

test('R4.13-15 a failing check answers 500 and keeps its reason to itself', async () => {
  etcd = 'disk on fire';
  try {
    const [status, text] = await ask('/readyz');
    assert.equal(status, 500);
    assert.match(text, /\n\[-\]etcd failed: reason withheld\n/);
    assert.match(text, /\nreadyz check failed\n$/);
    assert.doesNotMatch(text, /fire/);
    assert.deepEqual((await ask('/livez/etcd')).slice(0, 2), [500, 'internal server error: disk on fire\n']);
  } finally {
    etcd = undefined;
  }
});

test('R4.13-06 R4.13-07 R4.13-08 single checks answer under their verbose names', async () => {
  assert.deepEqual((await ask('/livez/poststarthook/rbac/bootstrap-roles')).slice(0, 2), [200, 'ok']);
  assert.equal((await ask('/readyz/shutdown'))[0], 200);
  for (const path of ['/livez/shutdown', '/livez/nothing', '/livez/', '/livezz', '/']) assert.equal((await ask(path))[0], 404, path);
});
