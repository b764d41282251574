import assert from 'node:assert/strict';
import { get } from 'node:https';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Reply } from '#request';
import { exchange } from './in-process.ts';
import { askHttp1, askHttp2, ca, openHttp2, withListener } from './test-support.ts';

const RUN = Buffer.alloc(300_000, 'x');

interface Making {
  readonly reply: Reply;
  made: number;
  isEnded: boolean;
}

/** A document of so many runs. `broken`: making the run after them fails. */
function making(runs: number, broken = false): Making {
  async function* pieces(): AsyncGenerator<readonly Uint8Array[]> {
    try {
      for (; state.made < runs; state.made++) yield [RUN.subarray(0, 1), RUN.subarray(1)];
      if (broken) throw new Error('this part cannot be made');
    } finally {
      state.isEnded = true;
    }
  }
  const state: Making = { reply: { status: 200, headers: { 'content-type': 'text/plain' }, pieces: pieces() }, made: 0, isEnded: false };
  return state;
}

for (const [name, ask] of [['HTTP/1.1', askHttp1], ['HTTP/2', askHttp2]] as const) {
  test(`${name}: what is made while it is sent arrives as a whole, compressed as well`, async () => {
    await withListener(() => Promise.resolve(making(20).reply), {}, async ({ port }) => {
      const plain = await ask(port);
      assert.deepEqual([plain.status, plain.headers['content-length'], plain.body.length], [200, undefined, 20 * RUN.length]);
      const compressed = await ask(port, { headers: { 'accept-encoding': 'gzip' } });
      assert.equal(compressed.headers['content-encoding'], 'gzip');
      assert.ok(gunzipSync(compressed.body).equals(plain.body));
      const head = await ask(port, { method: 'HEAD' });
      assert.deepEqual([head.status, head.body.length], [200, 0]);
    });
  });

  for (const coding of ['identity', 'gzip']) {
    test(`${name}: an answer that cannot be made to its end is cut off (${coding})`, async () => {
      const logged: string[] = [];
      const log = { error: (message: string) => void logged.push(message), warn: () => {}, info: () => {} };
      await withListener(() => Promise.resolve(making(3, true).reply), { log }, async ({ port }) => {
        await assert.rejects(ask(port, { headers: { 'accept-encoding': coding } }));
      });
      assert.deepEqual(logged, ['an answer broke off']);
    });
  }
}

test('for a reader that reads nothing no more is made than what waits for it, and nothing when it is gone', async () => {
  for (const isHttp2 of [false, true]) {
    const state = making(1_000);
    await withListener(() => Promise.resolve(state.reply), {}, async ({ port }) => {
      const session = openHttp2(port);
      const open = new Promise<() => void>((resolve, reject) => {
        if (isHttp2) {
          const stream = session.request({ ':path': '/' });
          stream.on('response', () => resolve(() => session.destroy()));
          stream.on('error', () => {});
        } else {
          const request = get({ host: '127.0.0.1', port, ca, path: '/', agent: false }, (response) => resolve(() => response.destroy()));
          request.on('error', reject);
        }
      });
      const leave = await open;
      let before = -1;
      while (before !== state.made) {
        before = state.made;
        for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
      }
      // What the system keeps for both ends of a connection, and some.
      assert.ok(state.made < 500, `${state.made} runs of ${RUN.length} bytes`);
      leave();
      while (!state.isEnded) await new Promise((resolve) => setImmediate(resolve));
      assert.ok(state.made < 500);
      session.destroy();
    });
  }
});

test('in process it is a body, and a failure is an answer', async () => {
  const whole = await exchange(() => Promise.resolve(making(3).reply), { path: '/' });
  assert.ok('body' in whole);
  assert.equal(whole.body.length, 3 * RUN.length);
  const broken = await exchange(() => Promise.resolve(making(3, true).reply), { path: '/' });
  assert.equal(broken.status, 500);
});
