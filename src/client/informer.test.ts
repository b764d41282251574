import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, StillClock, type Clock } from '#base';
import { createClient, type Client } from './client.ts';
import { exchangeLocal, type LocalAnswer } from './exchange-local.ts';
import { openInformer, type Informer } from './informer.ts';
import { settled } from './test-support.ts';
import { ConfigMap } from '#kinds';

/** A server that answers lists and watches as the test says, in order. */
class Script {
  readonly asked: string[] = [];
  readonly #answers: LocalAnswer[];
  #left: (() => void) | undefined;

  constructor(answers: readonly LocalAnswer[]) {
    this.#answers = [...answers];
  }

  readonly client: Client = createClient(
    exchangeLocal(({ path, signal }) => {
      this.asked.push(path.replace('/api/v1/configmaps?', ''));
      const answer = this.#answers.shift();
      if (answer !== undefined) return Promise.resolve(answer);
      // Nothing more is to be said: the watch stays open.
      this.#left?.();
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    }),
  );

  /** Resolves once everything that was written down has been asked for, and one thing more. */
  get told(): Promise<void> {
    return new Promise((resolve) => (this.#left = resolve));
  }
}

const json = (value: unknown, status = 200): LocalAnswer => ({ status, headers: {}, body: Buffer.from(JSON.stringify(value)) });
const object = (name: string, resourceVersion: string, uid = name): object => ({ metadata: { namespace: 'n', name, uid, resourceVersion } });
const list = (resourceVersion: string, ...items: object[]): LocalAnswer => json({ kind: 'ConfigMapList', metadata: { resourceVersion }, items });
const events = (...all: readonly (readonly [type: string, object: object])[]): LocalAnswer =>
  json200(all.map(([type, one]) => `${JSON.stringify({ type, object: one })}\n`).join(''));
const json200 = (text: string): LocalAnswer => ({ status: 200, headers: {}, stream: cut(Buffer.from(text)) });

/** In small pieces, as a network may bring it. */
async function* cut(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

const MINUTE_MS = 60_000;

/** Waits for no retry. */
const IMPATIENT: Clock = {
  nowMs: () => 0,
  after(delayMs, run) {
    if (delayMs > MINUTE_MS) return () => {};
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  },
};

interface Heard {
  readonly informer: Informer<ConfigMap>;
  readonly heard: string[];
  /** What stands in the log. */
  readonly told: readonly unknown[];
  readonly asked: readonly string[];
}

/** Runs the script to its end. */
async function follow(...answers: readonly LocalAnswer[]): Promise<Heard> {
  const script = new Script(answers);
  const ending = new AbortController();
  const told: unknown[] = [];
  const log = { ...silentLog, warn: (_message: string, fields?: object) => told.push(fields) };
  const informer = openInformer(script.client.of(ConfigMap), { retryClock: IMPATIENT, log, signal: ending.signal });
  const heard: string[] = [];
  informer.listen({
    put: ({ metadata }, before) => heard.push(`${before === undefined ? '+' : '~'}${metadata.name}${metadata.resourceVersion}`),
    remove: ({ metadata }, before) => heard.push(`-${metadata.name}${metadata.resourceVersion}, was ${before.metadata.resourceVersion}`),
  });
  await script.told;
  ending.abort();
  return { informer, heard, told, asked: script.asked };
}

const names = ({ informer }: Heard): readonly (string | undefined)[] => informer.list().map(({ metadata }) => metadata.name);

test('what is listed is known, what is watched follows', async () => {
  const heard = await follow(list('1', object('a', '1')), events(['ADDED', object('b', '2')], ['MODIFIED', object('a', '3')], ['DELETED', object('b', '4')]));
  assert.deepEqual(heard.heard, ['+a1', '+b2', '~a3', '-b4, was 2']);
  assert.deepEqual(names(heard), ['a']);
  assert.equal(heard.informer.isSynced, true);
  assert.equal(heard.informer.get({ namespace: 'n', name: 'a' })?.metadata.resourceVersion, '3');
  const late: (string | undefined)[] = [];
  heard.informer.listen({ put: ({ metadata }, before) => late.push(metadata.name, before?.metadata.name) });
  assert.deepEqual(late, ['a', undefined], 'who listens late hears of what is there');
});

test('who listens no more hears nothing more', async () => {
  const script = new Script([list('1', object('a', '1')), events(['ADDED', object('b', '2')])]);
  const ending = new AbortController();
  const informer = openInformer(script.client.of(ConfigMap), { retryClock: IMPATIENT, signal: ending.signal });
  const heard: (string | undefined)[] = [];
  const leave = informer.listen({
    put: ({ metadata }) => {
      heard.push(metadata.name);
      leave();
    },
  });
  await script.told;
  assert.deepEqual([heard, informer.list().length], [['a'], 2]);
  ending.abort();
});

test('it is in step once all pages of the first list are there, and not before', async () => {
  const first = json({ kind: 'ConfigMapList', metadata: { resourceVersion: '4', continue: 'next' }, items: [object('a', '1')] });
  const script = new Script([first, list('4', object('b', '1'))]);
  const ending = new AbortController();
  const informer = openInformer(script.client.of(ConfigMap), { signal: ending.signal });
  assert.equal(informer.isSynced, false);
  await informer.synced;
  assert.deepEqual([informer.isSynced, script.asked.length >= 2, informer.get({ namespace: 'n', name: 'b' })?.metadata.name], [true, true, 'b']);
  ending.abort();
});

test('what is selected is selected in the list and in the watch', async () => {
  const [labelSelector, fieldSelector] = ['app in (a,b)', 'metadata.name!=c'];
  for (const selection of [{ labelSelector }, { fieldSelector }, { labelSelector, fieldSelector }, {}]) {
    const script = new Script([list('1')]);
    const ending = new AbortController();
    const open = script.told;
    openInformer(script.client.of(ConfigMap), { signal: ending.signal, ...selection });
    await open;
    ending.abort();
    const asked = script.asked.map((query) => [...new URLSearchParams(query)].filter(([name]) => name.endsWith('Selector')));
    assert.deepEqual(asked, [Object.entries(selection), Object.entries(selection)]);
  }
});

test('a watch that ends is taken up where it stopped, bookmarks included', async () => {
  const { asked } = await follow(list('1'), events(['ADDED', object('a', '5')], ['BOOKMARK', object('', '9')]), events());
  const watches = asked.slice(1).map((query) => new URLSearchParams(query));
  assert.deepEqual(watches.map((query) => query.get('resourceVersion')), ['1', '9', '9']);
  assert.deepEqual(watches.map((query) => query.get('allowWatchBookmarks')), ['true', 'true', 'true']);
});

/** The delays before the retries, where the server answers a list and then this; each watch takes `lastsMs` of the clock. */
async function delays(answers: readonly LocalAnswer[], lastsMs = 0): Promise<readonly number[]> {
  const delayed: number[] = [];
  let nowMs = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    after(delayMs, run) {
      if (delayMs <= MINUTE_MS) delayed.push(delayMs);
      return IMPATIENT.after(delayMs, run);
    },
  };
  async function* lasting(stream: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    nowMs += lastsMs;
    yield* stream;
  }
  const watches = answers.map((answer) => ('stream' in answer ? { ...answer, stream: lasting(answer.stream) } : answer));
  const script = new Script([list('1'), ...watches]);
  const ending = new AbortController();
  const told = script.told;
  openInformer(script.client.of(ConfigMap), { retryClock: clock, signal: ending.signal });
  await told;
  ending.abort();
  return delayed;
}

test('watches that told something and ended are taken up at once, however many there were; those that told nothing ever later', async () => {
  assert.deepEqual(await delays([events(['BOOKMARK', object('', '9')]), events(['BOOKMARK', object('', '10')]), events(['ADDED', object('a', '11')])]), []);
  const [first = 0, second = 0, third = 0] = await delays([1, 2, 3, 4].map(() => events()));
  assert.ok(first > 0 && second > first && third > second, `${first}, ${second}, ${third} ms`);
});

test('watches that fail are asked for ever later, also where each tells something before; one that lasted is taken up at once, whatever it told', async () => {
  const failing = (): LocalAnswer => events(['BOOKMARK', object('', '9')], ['ERROR', { kind: 'Status', code: 503, reason: 'ServiceUnavailable' }]);
  const [first = 0, second = 0, third = 0] = await delays([1, 2, 3, 4].map(failing));
  assert.ok(first > 0 && second > first && third > second, `${first}, ${second}, ${third} ms`);
  for (const ending of [events, failing]) assert.deepEqual(await delays([1, 2, 3, 4].map(() => ending()), 5 * MINUTE_MS), []);
});

test('a failure of watches that tell something before is told, once', async () => {
  const failing = [1, 2, 3, 4].map(() => events(['BOOKMARK', object('', '9')], ['ERROR', { kind: 'Status', code: 503, reason: 'ServiceUnavailable' }]));
  assert.equal((await follow(list('1'), ...failing)).told.length, 1);
});

test('a watch that breaks off is taken up where it stopped', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object: object('a', '5') })}\n`);
    throw new Error('reset');
  }
  const { asked, heard } = await follow(list('1'), { status: 200, headers: {}, stream: broken() }, events(['ADDED', object('b', '7')]));
  assert.deepEqual(asked.slice(1).map((query) => new URLSearchParams(query).get('resourceVersion')), ['1', '5', '7']);
  assert.deepEqual(heard, ['+a5', '+b7']);
});

test('a watch that the server does not end in the time it was given is given up, and taken up where it stopped', async () => {
  const clock = new StillClock();
  const script = new Script([list('1')]);
  const ending = new AbortController();
  const firstOpen = script.told;
  openInformer(script.client.of(ConfigMap), { retryClock: clock, signal: ending.signal });
  await firstOpen;
  const seconds = Number(new URLSearchParams(script.asked[1]).get('timeoutSeconds'));
  assert.ok(seconds >= 300 && seconds <= 600, `${seconds} s`);
  const nextOpen = script.told;
  clock.turn(seconds * 1000);
  await settled();
  assert.equal(script.asked.length, 2);
  clock.turn(MINUTE_MS);
  await nextOpen;
  assert.deepEqual(script.asked.slice(1).map((query) => new URLSearchParams(query).get('resourceVersion')), ['1', '1']);
  ending.abort();
  await settled();
  assert.equal(clock.pending, 0);
});

for (const [how, answer] of [
  ['refused', json({ kind: 'Status', code: 410, reason: 'Expired' }, 410)],
  ['refused in words of its own', json({ kind: 'Status', code: 410, message: 'too old' }, 410)],
  ['refused by who sends no Status', json({}, 410)],
  ['ended by an ERROR event', events(['ERROR', { kind: 'Status', code: 410, reason: 'Gone' }])],
  ['ended by a change that the server cannot read', events(['ERROR', { kind: 'Status', code: 500, reason: 'InternalError' }])],
  ['ended by a change that a webhook does not convert', events(['ERROR', { kind: 'Status', code: 500, message: 'conversion webhook for e/v1, Kind=Foo failed: no' }])],
] as const) {
  test(`a start from which a watch cannot go on, ${how}: everything is listed again and the difference is heard`, async () => {
    const heard = await follow(
      list('1', object('a', '1'), object('b', '1'), object('c', '1')),
      answer,
      list('9', object('a', '1'), object('b', '8'), object('d', '9')),
    );
    assert.deepEqual(heard.heard, ['+a1', '+b1', '+c1', '-c1, was 1', '~b8', '+d9']);
    assert.deepEqual(names(heard), ['a', 'b', 'd']);
  });
}

const refusal = (code: number, reason: string): LocalAnswer => json({ kind: 'Status', code, reason, message: `${reason} it is` }, code);
const repeated = (answer: LocalAnswer, times: number): readonly LocalAnswer[] => Array.from({ length: times }, () => answer);

test('a failure that goes on is told once, with its cause; of a kind that is not served only after a while', async () => {
  const broken = await follow(list('1'), ...repeated(refusal(500, 'InternalError'), 8));
  assert.equal(broken.told.length, 1);
  assert.match(String((broken.told[0] as { cause: unknown }).cause), /InternalError it is/);
  // Whether somebody else answers for the path, or nobody.
  for (const absent of [refusal(404, 'NotFound'), json({}, 404)]) {
    assert.deepEqual((await follow(list('1'), ...repeated(absent, 5))).told, []);
    assert.equal((await follow(list('1'), ...repeated(absent, 8))).told.length, 1);
  }
});

test('a watch that breaks off once is no failure that is told, also right after others ended in order', async () => {
  const told = events(['BOOKMARK', object('', '9')]);
  const broken = events(['BOOKMARK', object('', '10')], ['ERROR', { kind: 'Status', code: 503, reason: 'ServiceUnavailable' }]);
  assert.deepEqual((await follow(list('1'), told, broken, events(['BOOKMARK', object('', '11')]))).told, []);
});

test('a list of several pages is one', async () => {
  const first = json({ kind: 'ConfigMapList', metadata: { resourceVersion: '4', continue: 'next' }, items: [object('a', '1')] });
  const heard = await follow(first, list('4', object('b', '1')));
  assert.deepEqual(names(heard), ['a', 'b']);
  assert.match(heard.asked[1] ?? '', /continue=next/);

  const again = await follow(first, json({ kind: 'Status', code: 410, reason: 'Expired' }, 410), list('9', object('b', '1'), object('c', '9')));
  assert.deepEqual(again.heard, ['+b1', '+c9'], 'what the pages of a list said that broke off does not count');
});

test('an index finds objects by the words it was told, before and after they change', async () => {
  const labelled = (resourceVersion: string, app: string): object => ({ metadata: { namespace: 'n', name: 'a', uid: 'a', resourceVersion, labels: { app } } });
  const { informer } = await follow(list('1', labelled('1', 'x')), events(['MODIFIED', labelled('2', 'y')]));
  informer.addIndex('app', ({ metadata }) => [metadata.labels?.['app'] ?? '']);
  assert.equal(informer.by('app', 'x').length, 0);
  assert.equal(informer.by('app', 'y').length, 1);
  assert.equal(informer.list('n').length, 1);
  assert.equal(informer.list('elsewhere').length, 0);
  assert.throws(() => informer.by('nothing', 'x'), /no index/);
});

test('names that no path can hold are refused before anything is asked', async () => {
  const client = createClient(exchangeLocal(() => assert.fail('nothing may be asked'))).of(ConfigMap);
  for (const name of ['', '.', '..', 'a/b']) await assert.rejects(async () => client.get({ namespace: 'n', name }), /cannot be the name/);
  await assert.rejects(async () => client.get({ name: 'a' }), /which namespace/);
});
