import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestAnswer, type TestJson } from '#testing';
import { everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const namesOf = (list: TestJson): string[] => list.items.map((one: TestJson) => one.metadata.name);
const next = (path: string, limit: number, list: TestJson): string => `${path}?limit=${limit}&continue=${encodeURIComponent(list.metadata.continue)}`;

async function fill(world: World, count: number): Promise<string> {
  const namespace = await world.namespace();
  for (let at = 0; at < count; at++) await world.make('ConfigMap', namespace, { name: `c${at}` });
  return world.path('ConfigMap', namespace);
}

everywhere(PLACES.withSockets, (world) => {
  test('R4.4-01 R4.4-02 R4.4-03 R4.4-04 R4.4-06 chunks of every size hold each item once, in one version', async () => {
    const path = await fill(world, 7);
    const all = namesOf(expect(200, await world.get(path)));
    for (const limit of [1, 2, 3, 6, 7, 8]) {
      const chunks = [expect(200, await world.get(`${path}?limit=${limit}`))];
      for (let last = chunks[0]; last.metadata.continue; last = chunks.at(-1)) chunks.push(expect(200, await world.get(next(path, limit, last))));
      assert.equal(chunks.length, Math.ceil(7 / limit));
      for (const chunk of chunks) {
        assert.ok(chunk.items.length <= limit);
        assert.equal(chunk.metadata.resourceVersion, chunks[0].metadata.resourceVersion);
      }
      assert.deepEqual(chunks.flatMap(namesOf), all);
    }
  });

  test('R4.4-05 R4.4-07 what is made, changed and deleted after the first chunk shows in a new list only', async () => {
    const path = await fill(world, 5);
    const before = expect(200, await world.get(path));
    const first = expect(200, await world.get(`${path}?limit=1`));
    expect(201, await world.post(path, world.object('ConfigMap', { name: 'c2-made' })));
    expect(200, await world.patch('merge', `${path}/c3`, { data: { changed: 'yes' } }));
    expect(200, await world.delete(`${path}/c4`));
    expect(200, await world.delete(`${path}/c0`));
    const second = expect(200, await world.get(next(path, 2, first)));
    expect(200, await world.delete(`${path}/c1`));
    const third = expect(200, await world.get(next(path, 2, second)));
    assert.deepEqual([first, second, third].flatMap(({ items }) => items), before.items);
    const fresh = expect(200, await world.get(`${path}?limit=10`));
    assert.deepEqual(namesOf(fresh), ['c2', 'c2-made', 'c3']);
    assert.equal(fresh.items[2].data.changed, 'yes');
  });

  test('R4.4-03 R4.3-45 who goes on with a list for one name finds it in the rest, or not at all', async () => {
    const path = await fill(world, 3);
    const first = expect(200, await world.get(`${path}?limit=1`));
    for (const [name, found] of [['c0', []], ['c1', ['c1']], ['c2', ['c2']]] as const) {
      const { items, metadata } = expect(200, await world.get(`${next(path, 1, first)}&fieldSelector=metadata.name%3D${name}`));
      assert.deepEqual(namesOf({ items }), found);
      // Behind a full chunk there may be more, for all that was looked at.
      assert.equal(metadata.continue !== undefined, name === 'c1');
    }
    // A list that begins with one name is whole with that: no other object is looked at.
    const whole = expect(200, await world.get(`${path}?limit=1&fieldSelector=metadata.name%3Dc0`));
    assert.deepEqual([namesOf(whole), whole.metadata.continue], [['c0'], undefined]);
    assert.deepEqual(namesOf(expect(200, await world.delete(`${next(path, 1, first)}&fieldSelector=metadata.name%3Dc0`))), []);
    assert.deepEqual(namesOf(expect(200, await world.get(path))), ['c0', 'c1', 'c2']);
    expectFailure(400, 'BadRequest', await world.get(`${path}?continue=abc&fieldSelector=metadata.name%3Dc1`));
  });

  test('R4.4-03 who goes on in the newest state sees what was made right behind the last chunk, in pages of the size asked for', async () => {
    const path = await fill(world, 4);
    const first = expect(200, await world.get(`${path}?limit=2`));
    expect(201, await world.post(path, world.object('ConfigMap', { name: 'c1-made' })));
    expect(200, await world.delete(`${path}/c2`));
    const { start, ...token } = JSON.parse(Buffer.from(first.metadata.continue, 'base64url').toString());
    const newest = Buffer.from(JSON.stringify({ ...token, rv: -1, start })).toString('base64url');
    assert.deepEqual(namesOf(expect(200, await world.get(`${path}?continue=${newest}`))), ['c1-made', 'c3']);
  });

  test('R4.4-01 R4.6-08 the largest limit is one; a version may be written with leading zeros, also that which is none', async () => {
    const path = await fill(world, 2);
    for (const query of ['limit=9223372036854775807', 'resourceVersion=00', 'resourceVersion=00&limit=5', 'resourceVersion=00&resourceVersionMatch=Exact']) {
      assert.deepEqual(namesOf(expect(200, await world.get(`${path}?${query}`))), ['c0', 'c1'], query);
    }
    assert.deepEqual(namesOf(expect(200, await world.get(`${path}?resourceVersion=00&limit=1`))), ['c0']);
    for (const query of ['', '&limit=1', '&resourceVersionMatch=Exact']) expect(504, await world.get(`${path}?resourceVersion=18446744073709551615${query}`));
  });

  test('R4.4-01 R4.6-11 events come in pages also where any version will do', async () => {
    const namespace = await world.namespace();
    const path = `/api/v1/namespaces/${namespace}/events`;
    for (const name of ['a', 'b', 'c']) expect(201, await world.post(path, { metadata: { name }, involvedObject: { namespace } }));
    const first = expect(200, await world.get(`${path}?resourceVersion=0&limit=2`));
    assert.deepEqual([namesOf(first), namesOf(expect(200, await world.get(next(path, 2, first))))], [['a', 'b'], ['c']]);
    expectFailure(400, 'BadRequest', await world.get(`${path}?resourceVersion=1.5`));
  });

  test('R4.4-01 a limit or a timeout that is no integer is refused, an empty one too; a watch from no version is one of the cache', async () => {
    const path = world.path('ConfigMap', await world.namespace());
    for (const [query, message] of [
      ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
      ['limit=a', 'strconv.ParseInt: parsing "a": invalid syntax'],
      ['timeoutSeconds=99999999999999999999', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
      ['limit=a&timeoutSeconds=b&labelSelector=c%20d', 'strconv.ParseInt: parsing "b": invalid syntax'],
    ] as const) {
      assert.equal(expectFailure(400, 'BadRequest', await world.get(`${path}?${query}`)).message, message);
    }
    // What the store is asked for is refused as a bad request, and what the watch cache is asked for is an error of the server.
    for (const [query, status] of [
      ['watch=1', 500],
      ['', 500],
      ['resourceVersionMatch=NotOlderThan', 500],
      ['resourceVersionMatch=NotOlderThan&limit=1', 400],
      ['resourceVersionMatch=Exact', 400],
      ['limit=1', 400],
    ] as const) {
      assert.equal((await world.get(`${path}?resourceVersion=a&${query}`)).status, status, query);
    }
  });
});

for (const dialect of DIALECTS) {
  test(`R4.4-09 R4.4-11 R8-02 a token lives five minutes; the 410 brings another one that goes on in the newest state (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const path = '/api/v1/namespaces/default/configmaps';
    const get = (query: string): Promise<TestAnswer> => server.request('GET', query);
    const make = async (name: string): Promise<void> => void expect(201, await server.request('POST', path, { metadata: { name } }));
    for (const name of ['a', 'b', 'c']) await make(name);
    const first = expect(200, await get(`${path}?limit=1`));
    clock.turn(299_000);
    await make('late-1');
    assert.deepEqual(namesOf(expect(200, await get(next(path, 5, first)))), ['b', 'c']);
    // History is cut at what was the newest version one period ago.
    for (const name of ['late-2', 'late-3', 'late-4']) {
      clock.turn(301_000);
      await make(name);
    }
    const expired = expectFailure(410, 'Expired', await get(next(path, 5, first)));
    assert.ok(expectFailure(410, 'Expired', await server.request('DELETE', `${next(path, 5, first)}&dryRun=All`)).metadata.continue);
    const rest = expect(200, await get(next(path, 50, expired)));
    assert.deepEqual(namesOf(rest), ['b', 'c', 'late-1', 'late-2', 'late-3', 'late-4']);
    assert.notEqual(rest.metadata.resourceVersion, first.metadata.resourceVersion);
    // What else goes wrong is told as it is.
    const token = JSON.parse(Buffer.from(first.metadata.continue, 'base64url').toString());
    const ahead = Buffer.from(JSON.stringify({ ...token, rv: 2 ** 50 })).toString('base64url');
    expectFailure(504, 'Timeout', await get(`${path}?limit=5&continue=${ahead}`));
    await server.close();
  });
}
