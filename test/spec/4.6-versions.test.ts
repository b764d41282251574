import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestAnswer, type TestJson } from '#testing';
import { KINDS } from './kinds.table.ts';
import { everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const namesOf = (list: TestJson): string[] => list.items.map((one: TestJson) => one.metadata.name);

interface Past {
  readonly path: string;
  /** The version at which `a`, `b` and `c` were all there was; since then `b` was changed, `c` deleted and `d` made. */
  readonly version: string;
  readonly latest: string;
}

async function past(world: World): Promise<Past> {
  const namespace = await world.namespace();
  const path = world.path('ConfigMap', namespace);
  const made = [];
  for (const name of ['a', 'b', 'c']) made.push(await world.make('ConfigMap', namespace, { name }));
  expect(200, await world.patch('merge', `${path}/b`, { data: { changed: 'yes' } }));
  expect(200, await world.delete(`${path}/c`));
  const { metadata } = await world.make('ConfigMap', namespace, { name: 'd' });
  return { path, version: made[2].metadata.resourceVersion, latest: metadata.resourceVersion };
}

everywhere(PLACES.withLmdb, (world) => {
  const list = async (path: string, query: string): Promise<TestJson> => expect(200, await world.get(`${path}?${query}`));

  test('R4.6-01 versions are strings that are the same for the same state of an object, and others for another', async () => {
    for (const row of KINDS) {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const { metadata } = await world.make(row.kind, namespace, { name: world.fresh('v') });
      const path = world.path(row.kind, namespace, metadata.name);
      assert.equal(typeof metadata.resourceVersion, 'string');
      assert.equal(expect(200, await world.get(path)).metadata.resourceVersion, metadata.resourceVersion);
      // What changes nothing leaves the version as it is.
      assert.equal(expect(200, await world.patch('merge', path, {})).metadata.resourceVersion, metadata.resourceVersion);
      assert.notEqual(expect(200, await world.patch('merge', path, row.change)).metadata.resourceVersion, metadata.resourceVersion);
    }
  });

  test('R4.6-03 R4.6-08 R4.6-11 R4.6-20 version 0 is answered with what is there or was there, and refuses nobody', async () => {
    const { path, latest } = await past(world);
    const one = expect(200, await world.get(`${path}/a?resourceVersion=0`));
    assert.equal(one.metadata.name, 'a');
    const whole = namesOf(await list(path, ''));
    for (const query of ['resourceVersion=0', 'resourceVersion=0&limit=2', 'resourceVersion=0&resourceVersionMatch=NotOlderThan', 'resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1']) {
      const { metadata, items } = await list(path, query);
      assert.ok(BigInt(metadata.resourceVersion) >= 1n && items.length > 0, query);
      // The cache answers it, as in 1.23, and knows no chunks.
      assert.deepEqual([namesOf({ items }), metadata.continue], [whole, undefined], query);
      assert.ok(items.every((item: TestJson) => BigInt(item.metadata.resourceVersion) <= BigInt(metadata.resourceVersion)), latest);
    }
  });

  test('R4.6-10 a first chunk without a version is of the newest state', async () => {
    const { path, latest } = await past(world);
    const { metadata, items } = await list(path, 'limit=3');
    assert.ok(BigInt(metadata.resourceVersion) >= BigInt(latest));
    assert.deepEqual(items.map((one: TestJson) => one.metadata.name), ['a', 'b', 'd']);
  });

  test('R4.6-05 R4.6-12 R4.6-18 Exact, and a limit with a version, is the state of that version', async () => {
    const { path, version } = await past(world);
    for (const query of ['resourceVersionMatch=Exact', 'resourceVersionMatch=Exact&limit=10', 'limit=10', 'limit=3']) {
      const { metadata, items } = await list(path, `resourceVersion=${version}&${query}`);
      assert.equal(metadata.resourceVersion, version);
      assert.deepEqual(namesOf({ items }), ['a', 'b', 'c'], query);
      assert.equal(items[1].data.changed, undefined);
    }
    const chunk = await list(path, `resourceVersion=${version}&resourceVersionMatch=Exact&limit=2`);
    assert.deepEqual(namesOf(chunk), ['a', 'b']);
    assert.deepEqual(namesOf(await list(path, `limit=2&continue=${encodeURIComponent(chunk.metadata.continue)}`)), ['c']);
    // Without a match and a limit, and with the other match, it is only the least version.
    for (const query of ['', '&resourceVersionMatch=NotOlderThan', '&resourceVersionMatch=NotOlderThan&limit=10']) {
      const newer = await list(path, `resourceVersion=${version}${query}`);
      assert.deepEqual(namesOf(newer), ['a', 'b', 'd'], query);
    }
  });

  test('R4.6-13 R4.6-14 R4.6-15 the version of a token counts: 0 beside it is overlooked, another one refused', async () => {
    const { path, latest } = await past(world);
    const first = await list(path, 'limit=1');
    expect(201, await world.post(path, world.object('ConfigMap', { name: 'later' })));
    const token = encodeURIComponent(first.metadata.continue);
    for (const query of ['', '&resourceVersion=', '&resourceVersion=0']) {
      const second = await list(path, `limit=10&continue=${token}${query}`);
      assert.deepEqual([namesOf(second), second.metadata.resourceVersion], [['b', 'd'], first.metadata.resourceVersion]);
    }
    for (const other of [latest, first.metadata.resourceVersion, '1']) {
      expectFailure(400, 'BadRequest', await world.get(`${path}?limit=10&continue=${token}&resourceVersion=${other}`));
    }
    // The first of these that is wrong is told: the version, the token, that they are given together.
    const told = [
      [`continue=${token}&resourceVersion=x`, /invalid resource version: .*Invalid value: "x"/],
      ['continue=x&resourceVersion=y', /invalid resource version: .*Invalid value: "y"/],
      [`continue=x&resourceVersion=${latest}`, /^invalid continue token: continue key is not valid/],
      [`continue=${token}&resourceVersion=${latest}`, /specifying resource version is not allowed/],
    ] as const;
    for (const [query, words] of told) assert.match(expectFailure(400, 'BadRequest', await world.get(`${path}?${query}`)).message, words, query);
  });

  test('R4.6-16 R4.6-17 R4.6-19 R4.6-22 R4.6-23 R4.6-24 combinations that mean nothing are refused as the dialect does', async () => {
    const { path, latest } = await past(world);
    const token = encodeURIComponent((await list(path, 'limit=1')).metadata.continue);
    const [code, reason] = world.dialect === 'orch' ? ([400, 'BadRequest'] as const) : ([422, 'Invalid'] as const);
    const meaningless = [
      ...['', '&limit=1'].flatMap((limit) => [`resourceVersionMatch=Exact${limit}`, `resourceVersionMatch=Exact&resourceVersion=0${limit}`, `resourceVersionMatch=NotOlderThan${limit}`]),
      'resourceVersionMatch=Exact&resourceVersion=',
      `resourceVersionMatch=Latest&resourceVersion=${latest}`,
      ...['Exact', 'NotOlderThan'].map((match) => `resourceVersionMatch=${match}&resourceVersion=${latest}&limit=1&continue=${token}`),
      ...['Exact', 'NotOlderThan'].map((match) => `watch=1&resourceVersionMatch=${match}&resourceVersion=${latest}`),
    ];
    for (const query of meaningless) {
      const answer = await world.get(`${path}?${query}`);
      assert.equal(answer.status, code, `${query}: ${answer.text}`);
      assert.match(expectFailure(code, reason, answer).message, /resourceVersionMatch/);
    }
  });

  test('R4.6-18 R4.6-21 R4.6-24 who says that it does not watch lists, of the version that it asks for', async () => {
    const { path, version } = await past(world);
    const names = async (query: string): Promise<readonly string[]> => (await list(path, query)).items.map(({ metadata }: TestJson) => metadata.name);
    for (const no of ['watch=false', 'watch=False', 'watch=0', 'watch=false&watch=true']) {
      assert.deepEqual(await names(`${no}&resourceVersionMatch=Exact&resourceVersion=${version}`), ['a', 'b', 'c'], no);
      assert.deepEqual(await names(`${no}&resourceVersionMatch=NotOlderThan&resourceVersion=${version}`), ['a', 'b', 'd'], no);
      assert.deepEqual(await names(`${no}&resourceVersionMatch=Exact&resourceVersion=${version}&limit=2`), ['a', 'b'], no);
    }
    const [code, reason] = world.dialect === 'orch' ? ([400, 'BadRequest'] as const) : ([422, 'Invalid'] as const);
    for (const yes of ['watch=', 'watch', 'watch=no', 'watch=true&watch=false']) {
      const { message } = expectFailure(code, reason, await world.get(`${path}?${yes}&resourceVersionMatch=Exact&resourceVersion=${version}`));
      assert.match(message, /forbidden for watch/, yes);
    }
    const refused = expectFailure(code, reason, await world.get(`${path}?watch=false&resourceVersionMatch=Exact`));
    assert.match(refused.message, /forbidden unless resourceVersion is provided/);
  });

  test('R4.6-27 an item in a list has the version at which it changed last, whatever the version of the list', async () => {
    const { path, latest } = await past(world);
    for (let round = 0; round < 3; round++) expect(200, await world.patch('merge', `${path}/d`, { data: { round: String(round) } }));
    const { metadata, items } = await list(path, '');
    for (const item of items) assert.equal(item.metadata.resourceVersion, expect(200, await world.get(`${path}/${item.metadata.name}`)).metadata.resourceVersion);
    assert.ok(BigInt(items[0].metadata.resourceVersion) < BigInt(latest));
    assert.ok(BigInt(metadata.resourceVersion) >= BigInt(items[2].metadata.resourceVersion));
  });

  test('RX-29 one object through the path of its namespace and through that of all', async () => {
    for (const row of KINDS.filter(({ isNamespaced }) => isNamespaced)) {
      const namespace = await world.namespace();
      const made = await world.make(row.kind, namespace, { name: 'one' });
      const inside = expect(200, await world.get(world.path(row.kind, namespace)));
      const all = expect(200, await world.get(`${world.path(row.kind, '')}?resourceVersion=${inside.metadata.resourceVersion}&resourceVersionMatch=Exact`));
      const found = all.items.filter(({ metadata }: TestJson) => metadata.namespace === namespace);
      assert.deepEqual(found, inside.items);
      assert.equal(found[0].metadata.resourceVersion, made.metadata.resourceVersion);
      assert.equal(all.metadata.resourceVersion, inside.metadata.resourceVersion);
    }
  });
});

const PATH = '/api/v1/namespaces/default/configmaps';

for (const dialect of DIALECTS) {
  test(`R4.6-37 a watch from a version that is not there yet begins with what comes after it (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const make = async (name: string): Promise<TestJson> => expect(201, await server.request('POST', PATH, { metadata: { name } }));
    const { metadata } = await make('a');
    const future = String(Number(metadata.resourceVersion) + 1);
    const watch = await server.watch(`${PATH}?watch=1&resourceVersion=${future}&timeoutSeconds=60`);
    const made: TestJson[] = [];
    for (const name of ['b', 'c']) made.push(await make(name));
    const [event] = await watch.next(1);
    assert.equal(made[0].metadata.resourceVersion, future);
    assert.deepEqual([event.type, event.object], ['ADDED', made[1]]);
    await watch.stop();
    const never = await server.watch(`${PATH}?watch=1&resourceVersion=${Number(future) + 1_000_000}&timeoutSeconds=60`);
    clock.turn(60_000);
    const rest: readonly TestAnswer[] = await never.rest();
    assert.deepEqual(rest, []);
    await server.close();
  });
}
