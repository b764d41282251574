import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { askOn, openHttp2, textReply, withListener } from './test-support.ts';

const limits = { idleTimeoutMs: 100 };

test('a session on which nothing is asked any more is closed', async () => {
  await withListener(async () => textReply('here'), { limits }, async ({ port }) => {
    const session = openHttp2(port);
    const isClosed = once(session, 'close');
    assert.equal((await askOn(session)).body.toString(), 'here');
    await isClosed;
  });
});

test('a session on which nothing was ever asked is closed', async () => {
  await withListener(async () => textReply('here'), { limits }, ({ port }) => once(openHttp2(port), 'close').then(() => {}));
});

test('a session whose answer takes longer than sessions may be idle stays, as long as that', async () => {
  let answer = (): void => {};
  const handle = (): Promise<ReturnType<typeof textReply>> => new Promise((resolve) => (answer = () => resolve(textReply('late'))));
  await withListener(handle, { limits }, async ({ port }) => {
    const session = openHttp2(port);
    const asked = askOn(session);
    // Another one, idle from later on, is closed meanwhile: the time is over for both.
    await once(openHttp2(port), 'close');
    assert.equal(session.closed, false);
    answer();
    assert.equal((await asked).body.toString(), 'late');
    await once(session, 'close');
  });
});
