import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '#request';
import { inFlightStage } from './in-flight.ts';
import { requestOf } from './test-support.ts';

test('R8-26 administrators beyond the limit keep nobody out once those within it are answered', async () => {
  const refused: string[] = [];
  const stage = inFlightStage({ reading: 1, changing: 0 }, ({ user }) => void refused.push(user.name));
  const answers: ((reply: Reply) => void)[] = [];
  const ask = (name: string, groups: readonly string[] = []): Promise<Reply> =>
    stage(requestOf(name, 'GET /api/v1/pods', { groups }), () => new Promise((resolve) => answers.push(resolve)));
  const done: Reply = { status: 200, headers: {}, body: new Uint8Array() };
  const first = ask('alice');
  const beyond = ask('admin', ['system:masters']);
  assert.equal((await ask('bob')).status, 429);
  answers[0]?.(done);
  assert.equal((await first).status, 200);
  const next = ask('carol');
  for (const answer of answers) answer(done);
  assert.deepEqual([(await next).status, (await beyond).status], [200, 200]);
  assert.deepEqual(refused, ['bob']);
});

test('R8-26 reads and changes have limits of their own, of which 0 is none; what lasts long counts for neither', async () => {
  const held = (): Promise<Reply> => new Promise(() => {});
  for (const [limits, line, other] of [
    [{ reading: 2, changing: 1 }, 'GET /api/v1/pods', 'POST /api/v1/namespaces/a/pods'],
    [{ reading: 1, changing: 2 }, 'POST /api/v1/namespaces/a/pods', 'GET /api/v1/pods'],
    [{ reading: 2, changing: 0 }, 'GET /api/v1/pods', 'POST /api/v1/namespaces/a/pods'],
  ] as const) {
    const refused: string[] = [];
    const stage = inFlightStage(limits, ({ user }) => void refused.push(user.name));
    let begun = 0;
    const ask = (name: string, asked: string): Promise<Reply> => stage(requestOf(name, asked), () => (begun++, held()));
    void ask('watcher', 'GET /api/v1/pods?watch=1');
    void ask('alice', line);
    void ask('bob', line);
    assert.equal((await ask('carol', line)).status, 429);
    void ask('dave', other);
    if (limits.changing === 0) void ask('erin', other);
    assert.deepEqual([begun, refused], [limits.changing === 0 ? 5 : 4, ['carol']]);
  }
});
