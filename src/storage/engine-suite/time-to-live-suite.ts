import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Recorder, type TestedEngine } from './test-support.ts';

/** Tests of the expiry of keys. */
export function timeToLiveSuite(tested: TestedEngine): void {
  if (tested.hasOwnTime) return byOwnTime(tested);
  const { put, remove, all } = tested;

  it('deletes when it is over, and says so in the feed', async () => {
    const recorder = new Recorder(tested.engine, '/', 1);
    await put('/short', 's', 0, 10);
    await put('/long', 'l', 0, 100);
    await put('/kept', 'k', 0);
    tested.clock.turn(9_999);
    assert.deepEqual(await all(), ['/kept=k', '/long=l', '/short=s']);
    tested.clock.turn(1);
    await recorder.reached(5);
    assert.equal(recorder.summary()[3], '5 /short=- was s');
    tested.clock.turn(90_000);
    await recorder.reached(6);
    assert.deepEqual(await all(), ['/kept=k']);
  });

  it('deletes however many there are whose time is over at once, and the next one in its own time', async () => {
    const keys = Array.from({ length: 600 }, (_, i) => `/k${i}`);
    await Promise.all(keys.map((key) => put(key, 'k', 0, 10)));
    const recorder = new Recorder(tested.engine, '/k', await put('/next', 'n', 0, 20));
    tested.clock.turn(10_000);
    // Those that do not fit in one go follow at once.
    for (let i = 0; i < 6; i++) {
      await put('/other', 'o');
      tested.clock.turn(0);
    }
    await recorder.reached(1 + keys.length + 1 + 6 + keys.length);
    assert.deepEqual(recorder.changes.map(({ key }) => key).sort(), keys.sort());
    tested.clock.turn(9_999);
    const head = await put('/other', 'o');
    assert.deepEqual(await all(), ['/next=n', '/other=o']);
    tested.clock.turn(1);
    await recorder.reached(head + 1);
    assert.deepEqual(await all(), ['/other=o']);
  });

  it('may be so long that it never ends', async () => {
    const recorder = new Recorder(tested.engine, '/', 1);
    for (const [key, ttlSeconds] of [['/long', 36e12], ['/longer', 1e17], ['/longest', 1e300], ['/short', 10]] as const) await put(key, '1', 0, ttlSeconds);
    await put('/longer', '2', 3, 36e12);
    tested.clock.turn(10_000);
    await recorder.reached(7);
    assert.deepEqual(await all(), ['/long=1', '/longer=2', '/longest=1']);
  });

  it('is set anew, or lifted, by the next write', async () => {
    const recorder = new Recorder(tested.engine, '/', 1);
    await put('/renewed', '1', 0, 10);
    await put('/lifted', '1', 0, 10);
    await put('/again', '1', 0, 10);
    tested.clock.turn(5_000);
    await put('/renewed', '2', 2, 10);
    await put('/lifted', '2', 3);
    await remove('/again');
    await put('/again', '2', 0);
    tested.clock.turn(9_000);
    await put('/mark', 'm');
    assert.deepEqual(await all(), ['/again=2', '/lifted=2', '/mark=m', '/renewed=2']);
    tested.clock.turn(1_000);
    await recorder.reached(10);
    assert.deepEqual(await all(), ['/again=2', '/lifted=2', '/mark=m']);
  });
}

/** The same for a store whose clock no test can set: the tests wait until the feed shows that a key has expired. */
function byOwnTime(tested: TestedEngine): void {
  const { put, remove, all } = tested;

  it('deletes when it is over and not before, and says so in the feed', async () => {
    const recorder = new Recorder(tested.engine, '/', 1);
    const startMs = performance.now();
    await put('/short', 's', 0, 1);
    await put('/long', 'l', 0, 3_600);
    await put('/kept', 'k', 0);
    await recorder.reached(5);
    assert.ok(performance.now() - startMs >= 1_000);
    assert.equal(recorder.summary()[3], '5 /short=- was s');
    assert.deepEqual(await all(), ['/kept=k', '/long=l']);
  });

  it('is set anew, or lifted, by the next write', async () => {
    const recorder = new Recorder(tested.engine, '/', 1);
    await put('/renewed', '1', 0, 1);
    await put('/lifted', '1', 0, 1);
    await put('/again', '1', 0, 1);
    await put('/renewed', '2', 2, 3_600);
    await put('/lifted', '2', 3);
    await remove('/again');
    await put('/again', '2', 0);
    await put('/mark', 'm', 0, 1);
    await recorder.reached(10);
    assert.equal(recorder.summary()[8], '10 /mark=- was m');
    assert.deepEqual(await all(), ['/again=2', '/lifted=2', '/renewed=2']);
  });
}
