import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';

/** Node fires timers that are further away at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const FAR_MS = 600 * 3_600_000;
/** Far timers are set again and again; all others here are shorter. */
const FIRST_STEP_MS = 3_600_000;

/** Delays of timers, for those who wait for the next one. Before the modules take the timers for their own. */
const timers = process.getBuiltinModule('node:timers');
const { setTimeout: realSetTimeout } = timers;
const delays: number[] = [];
let onLongTimer = (): void => {};
timers.setTimeout = ((run: () => void, delayMs: number) => {
  delays.push(delayMs);
  if (delayMs >= FIRST_STEP_MS) onLongTimer();
  return realSetTimeout(run, delayMs);
}) as typeof timers.setTimeout;
const { deferred, stayAlive } = await import('#base');
const { chain, requestInfoStage } = await import('#request');
const { exchange } = await import('./in-process.ts');
const { openListener } = await import('./listener.ts');
const { deadline } = await import('./stages/deadline.ts');

/** Runs `begin`, and waits until it has started a long timer; fails where Node would not wait for a timer that was started. */
async function startsTimerThatLasts(begin: () => void): Promise<void> {
  const started = new Promise<void>((resolve) => (onLongTimer = resolve));
  delays.length = 0;
  // Nothing else keeps the process until a request is found to be slow.
  const letGo = stayAlive();
  begin();
  await started;
  letGo();
  assert.deepEqual(delays.filter((delayMs) => delayMs > LONGEST_TIMER_MS), []);
}

test('a request may take longer than timers of Node.js last', async () => {
  const gone = new AbortController();
  const handle = chain(requestInfoStage).through(deadline({ defaultMs: FAR_MS })).end(() => new Promise(() => {}));
  let answered: Promise<unknown> = Promise.resolve();
  await startsTimerThatLasts(() => {
    answered = exchange(handle, { path: '/api/v1/pods', signal: gone.signal });
  });
  gone.abort(new Error('asked no longer'));
  await assert.rejects(answered, /asked no longer/);
});

test('close waits for a request longer than timers of Node.js last', async () => {
  const begun = deferred<void>();
  const due = deferred<void>();
  const listener = await openListener({
    host: '127.0.0.1',
    port: 0,
    handle: async () => {
      begun.resolve();
      await due.promise;
      return { status: 200, headers: {}, body: new Uint8Array(0) };
    },
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun.promise;
  let closed: Promise<void> = Promise.resolve();
  await startsTimerThatLasts(() => {
    closed = listener.close({ graceMs: FAR_MS });
  });
  due.resolve();
  const [answer] = (await once(socket.setEncoding('latin1'), 'data')) as [string];
  assert.match(answer, /^HTTP\/1\.1 200 /);
  await closed;
});
