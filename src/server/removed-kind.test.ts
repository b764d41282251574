import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind } from '#api';
import { exchange } from '#http';
import { t } from '#schema';
import { openEngine, type Change } from '#storage';
import { buildServer } from './build-server.ts';
import { settle } from './settle-options.ts';

class Thing extends t.message('example.com/v1.Thing', {}) {}

const thing = defineKind(Thing, { group: 'example.com', kind: 'Thing', plural: 'things', scope: 'Namespaced', versions: { v1: { schema: Thing } }, storage: 'v1', isCustom: true });

for (const comesBack of [false, true]) {
  test(`a watch whose kind is removed before it has begun ends at once${comesBack ? ', also where another one has come in its place' : ''}`, { timeout: 30_000 }, async () => {
    const engine = await openEngine('memory://');
    const built = buildServer(settle({ tokens: 't,admin,u,"system:masters"' }), engine);
    built.catalog.join('definition', [thing]);
    const answer = await exchange(
      async (received) => {
        const reply = await built.handle(received);
        assert.ok('stream' in reply);
        if (comesBack) built.catalog.join('definition', [thing]);
        else built.catalog.leave('definition');
        return reply;
      },
      { path: '/apis/example.com/v1/things?watch=1', headers: { authorization: 'Bearer t' } },
    );
    assert.equal(answer.status, 200);
    assert.ok('stream' in answer);
    assert.deepEqual(await answer.stream[Symbol.asyncIterator]().next(), { done: true, value: undefined });
    await engine.close();
  });
}

test('a watch is told of the last deletion before it ends with its kind, also where the store tells of both at once', async (context) => {
  const engine = await openEngine('memory://');
  let held: Change[] | undefined;
  let release = (): void => {};
  const follow = engine.follow.bind(engine);
  engine.follow = (prefix, after, feed, signal) => {
    const changes = (batch: readonly Change[], upTo: number): void => {
      if (held === undefined) return feed.changes(batch, upTo);
      const all = held;
      all.push(...batch);
      release = () => feed.changes(all, upTo);
    };
    follow(prefix, after, { changes, lost: (why) => feed.lost(why) }, signal);
  };
  const built = buildServer(settle({ tokens: 't,admin,u,"system:masters"' }), engine);
  context.after(() => engine.close());
  built.catalog.join('definition', [thing]);
  const write = async (group: string, kind: string, expect: number, isThere: boolean): Promise<void> => {
    const registry = built.registries.of(built.catalog.findKind(group, kind)!);
    const object = { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, metadata: { name: 'a', namespace: 'n' } };
    await engine.commit({ key: registry.keyOf(object.metadata), expect, value: isThere ? Buffer.from(JSON.stringify(object)) : undefined });
  };
  await write('example.com', 'Thing', 0, true);
  await write('', 'ConfigMap', 0, true);
  // As definitions are followed.
  await built.objects.follow({ group: '', kind: 'ConfigMap' }, { put: () => {}, remove: () => built.catalog.leave('definition') }, new AbortController().signal);
  const answer = await exchange(built.handle, { path: '/apis/example.com/v1/things?watch=1', headers: { authorization: 'Bearer t' } });
  assert.ok('stream' in answer);
  const types: string[] = [];
  for await (const chunk of answer.stream) {
    types.push(...(Buffer.from(chunk).toString().match(/(?<="type":")[A-Z]+/g) ?? []));
    if (held !== undefined) continue;
    held = [];
    await write('', 'ConfigMap', 3, true);
    await write('example.com', 'Thing', 2, false);
    await write('', 'ConfigMap', 4, false);
    release();
  }
  assert.deepEqual(types, ['ADDED', 'DELETED']);
});
