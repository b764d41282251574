import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestAnswer, type TestServer } from '#testing';
import { expect, expectFailure } from './world.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

for (const dialect of DIALECTS) {
  const run = async (work: (server: TestServer, clock: TurnedClock) => Promise<void>): Promise<void> => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    try {
      await work(server, clock);
    } finally {
      await server.close();
    }
  };
  const make = async (server: TestServer, name: string): Promise<string> => {
    const made = expect(201, await server.request('POST', PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
    return made.metadata.resourceVersion as string;
  };

  test(`R4.6-04 R4.6-09 R4.6-21 R4.6-35 a read of a version that is not there yet waits for it (${dialect})`, () =>
    run(async (server) => {
      const next = String(Number(await make(server, 'a')) + 1);
      const questions = [`${PATH}/a?resourceVersion=${next}`, `${PATH}?resourceVersion=${next}`, `${PATH}?limit=5&resourceVersion=${next}&resourceVersionMatch=NotOlderThan`];
      let answered = 0;
      const answers = questions.map(async (question) => {
        const answer = await server.request('GET', question);
        answered += 1;
        return answer;
      });
      await turns(20);
      assert.equal(answered, 0);
      assert.equal(await make(server, 'b'), next);
      const [one, ...lists] = await Promise.all(answers);
      assert.equal(expect(200, one!).metadata.name, 'a');
      for (const list of lists) {
        const { items, metadata } = expect(200, list);
        assert.deepEqual([items.length, metadata.resourceVersion], [2, next]);
      }
    }));

  test(`R4.6-35 R4.6-36 a version that does not come is answered 504 after three seconds, with Retry-After (${dialect})`, () =>
    run(async (server, clock) => {
      const future = String(Number(await make(server, 'a')) + 1_000);
      expect(200, await server.request('GET', PATH));
      for (const question of [`${PATH}/a?resourceVersion=${future}`, `${PATH}?resourceVersion=${future}`]) {
        let answer: TestAnswer | undefined;
        const asked = server.request('GET', question).then((received) => (answer = received));
        await turns(20);
        clock.turn(2_999);
        await turns(20);
        assert.equal(answer, undefined);
        clock.turn(1);
        const failed = await asked;
        assert.match(expectFailure(504, 'Timeout', failed).message, /^Too large resource version: /);
        assert.equal(failed.headers['retry-after'], '1');
      }
    }));

  test(`R4.6-02 R4.6-07 a write is seen by the reads that follow it (${dialect})`, () =>
    run(async (server) => {
      for (let round = 0; round < 20; round++) {
        const version = await make(server, `own-${round}`);
        assert.equal(expect(200, await server.request('GET', `${PATH}/own-${round}`)).metadata.resourceVersion, version);
        assert.equal(expect(200, await server.request('GET', PATH)).items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('own-')).length, round + 1);
      }
      expect(200, await server.request('DELETE', `${PATH}/own-0`));
      expectFailure(404, 'NotFound', await server.request('GET', `${PATH}/own-0`));
    }));

  test(`R4.5-07 R4.5-09 the last thing before a watch times out is a bookmark, for those who want it (${dialect})`, () =>
    run(async (server, clock) => {
      const with_ = await server.watch(`${PATH}?watch=1&timeoutSeconds=30&allowWatchBookmarks=true`);
      const without = await server.watch(`${PATH}?watch=1&timeoutSeconds=30`);
      const version = await make(server, 'a');
      await Promise.all([with_.next(1), without.next(1)]);
      clock.turn(30_000);
      const last = await with_.rest();
      assert.deepEqual(last.map(({ type, object }) => [type, object.metadata.resourceVersion]), [['BOOKMARK', version]]);
      assert.deepEqual(await without.rest(), []);
    }));
}

/** Lets everything that can go on go on. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
