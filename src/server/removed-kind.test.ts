import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind } from '#api';
import { exchange } from '#http';
import { t } from '#schema';
import { openEngine } from '#storage';
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
