import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenInto } from '../robustness/judge.ts';

const server = brokenInto();
const PATH = '/api/v1/namespaces/default/configmaps';

const seriesOf = async (): Promise<number> => (await server().request('GET', '/metrics')).text.split('\n').length;

/** Texts that callers choose freely, each time another. */
async function askManyWays(from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++) {
    const headers = { 'user-agent': `agent-${n}`, accept: `application/json;q=0.${n}, application/x-${n}`, 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}` };
    await server().request('GET', `${PATH}?labelSelector=k${n}%3Dv&fieldSelector=metadata.name%3Dn${n}`, undefined, headers);
    await server().request('GET', `${PATH}/n${n}`, undefined, { authorization: `Bearer token-${n}` });
    await server().request('GET', `/apis/group-${n}/v1/kinds-${n}/name-${n}`);
    await server().request('GET', `/path-${n}`);
    await server().request(`METHOD-${n}`, PATH);
    await server().request('PATCH', `${PATH}/n${n}`, '{}', { 'content-type': `application/x-${n}` });
    await server().request('GET', PATH, undefined, { 'impersonate-user': `user-${n}`, 'impersonate-group': `group-${n}` });
  }
}

test('unbounded caches: labels of metrics do not grow with what callers say', async () => {
  await askManyWays(0, 50);
  const before = await seriesOf();
  await askManyWays(50, 300);
  const after = await seriesOf();
  // Some families show their first buckets late; nothing may grow with the number of requests.
  assert.ok(after - before < 100, `${before} series became ${after}`);
  const { text } = await server().request('GET', '/metrics');
  for (const word of ['agent-', 'token-', 'group-', 'path-', 'user-', 'METHOD-', 'name-1', 'kinds-']) assert.ok(!new RegExp(`="[^"]*${word}\\d`).test(text), `${word} is a label`);
});
