import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { brandOf } from '#api';
import { StillClock } from '#base';
import { parseRequest, type Identified, type Outlet, type Reply } from '#request';
import { createAuditStages } from './stage.ts';

const stages: string[] = [];
const { requests } = createAuditStages({
  brand: brandOf('orch'),
  clock: new StillClock(),
  backends: [{ record: ({ stage }) => stages.push(stage) > 0, close: () => Promise.resolve() }],
  observer: { level() {}, event() {}, lost() {}, rejected() {} },
  readObject: () => undefined,
  judge: () => ({ level: 'Metadata', omitStages: new Set(['RequestReceived', 'ResponseStarted']), omitManagedFields: false }),
});

/** A watch, whose caller leaves when `leaving` aborts. */
function watchOf(leaving: AbortController, method = 'GET'): Identified {
  const query = new URLSearchParams('watch=1');
  const path = '/api/v1/configmaps';
  const info = parseRequest('GET', path, query);
  const user = { name: 'alice', groups: [] };
  return { id: 'x', method, path, query, rawQuery: 'watch=1', headers: new Map(), signal: leaving.signal, receivedAt: 0, annotations: new Map(), info, user } as unknown as Identified;
}

/** An answer that lasts until `end` is called. */
function lasting(): { readonly reply: Reply; readonly end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { reply: { status: 200, headers: {}, stream: () => ended, tunnel: () => ended }, end };
}

/** The answer as it leaves this stage; nothing is told of it so far. */
async function audited(request: Identified, reply: Reply) {
  stages.length = 0;
  const answer = await requests(request, () => Promise.resolve(reply));
  assert.ok('stream' in answer && answer.tunnel !== undefined);
  return { stream: answer.stream, tunnel: answer.tunnel };
}

test('a stream that nobody begins, because its caller has left before or after its answer was there, has ended for the log', async () => {
  const left = new AbortController();
  left.abort();
  await audited(watchOf(left), lasting().reply);
  assert.deepEqual(stages, ['ResponseComplete']);
  const leaving = new AbortController();
  await audited(watchOf(leaving), lasting().reply);
  assert.deepEqual(stages, []);
  leaving.abort();
  assert.deepEqual(stages, ['ResponseComplete']);
});

test('a stream, and a connection that is handed over, end for the log with their caller or before, and once', async () => {
  for (const way of ['stream', 'tunnel'] as const) {
    for (const leavesFirst of [false, true]) {
      const { reply, end } = lasting();
      const leaving = new AbortController();
      const answer = await audited(watchOf(leaving), reply);
      const over = way === 'stream' ? answer.stream({} as Outlet) : answer.tunnel(new PassThrough());
      assert.deepEqual(stages, []);
      if (leavesFirst) leaving.abort();
      else end();
      await (leavesFirst ? undefined : over);
      assert.deepEqual(stages, ['ResponseComplete'], way);
      leaving.abort();
      end();
      await over;
      assert.deepEqual(stages, ['ResponseComplete'], way);
    }
  }
});

test('a stream that breaks ends for the log, too', async () => {
  const answer = await audited(watchOf(new AbortController()), { ...lasting().reply, stream: () => Promise.reject(new Error('broken')) } as Reply);
  await assert.rejects(answer.stream({} as Outlet), /broken/);
  assert.deepEqual(stages, ['ResponseComplete']);
});

test('a HEAD of a stream has no stream, and ends with its answer', async () => {
  await audited(watchOf(new AbortController(), 'HEAD'), lasting().reply);
  assert.deepEqual(stages, ['ResponseComplete']);
});

test('a long answer, of a list or of the deletion of a collection, is not gathered for a level that tells nothing of it', async () => {
  async function* pieces(): AsyncGenerator<readonly Uint8Array[]> {
    yield await Promise.reject<readonly Uint8Array[]>(new Error('nobody has asked for it'));
  }
  for (const [method, verb] of [['GET', 'list'], ['DELETE', 'deletecollection']] as const) {
    const info = parseRequest(method, '/api/v1/namespaces/default/configmaps', new URLSearchParams());
    assert.equal(info.verb, verb);
    const reply: Reply = { status: 200, headers: {}, pieces: pieces() };
    stages.length = 0;
    assert.equal(await requests({ ...watchOf(new AbortController()), method, info }, () => Promise.resolve(reply)), reply);
    assert.deepEqual(stages, ['ResponseComplete']);
  }
});

test('a request is told of at the time of its arrival, however long it took to find out who asks', async () => {
  const times: unknown[] = [];
  const { requests: all } = createAuditStages({
    brand: brandOf('orch'),
    clock: new StillClock(),
    backends: [{ record: ({ stage, requestReceivedTimestamp, stageTimestamp }) => times.push([stage, stageTimestamp === requestReceivedTimestamp]) > 0, close: () => Promise.resolve() }],
    observer: { level() {}, event() {}, lost() {}, rejected() {} },
    readObject: () => undefined,
    judge: () => ({ level: 'Metadata', omitStages: new Set(), omitManagedFields: false }),
  });
  const { reply, end } = lasting();
  const request = { ...watchOf(new AbortController()), receivedAt: new StillClock().nowMs() - 1_500 };
  const answer = await all(request, () => Promise.resolve(reply));
  assert.ok('stream' in answer);
  const told = answer.stream({} as Outlet);
  end();
  await told;
  assert.deepEqual(times, [['RequestReceived', true], ['ResponseStarted', false], ['ResponseComplete', false]]);
});

test('what holds events back knows how long they are: what was asked for, what webhooks noted, and the bodies at the level that keeps them', async () => {
  const told: unknown[] = [];
  const path = '/api/v1/namespaces/a/configmaps';
  for (const level of ['Metadata', 'Request', 'RequestResponse'] as const) {
    const { requests: audit } = createAuditStages({
      brand: brandOf('orch'),
      clock: new StillClock(),
      backends: [{ record: ({ stage }, bytes) => told.push([level, stage, bytes]) > 0, close: () => Promise.resolve() }],
      observer: { level() {}, event() {}, lost() {}, rejected() {} },
      readObject: () => ({}),
      judge: () => ({ level, omitStages: new Set(), omitManagedFields: false }),
    });
    const query = new URLSearchParams();
    const request = { ...watchOf(new AbortController()), method: 'POST', path, query, rawQuery: '', info: parseRequest('POST', path, query), annotations: new Map(), body: () => Promise.resolve(new Uint8Array(30)) };
    await audit(request as unknown as Identified, async ({ body, annotations }) => {
      await body(100);
      (annotations as Map<string, string>).set('example.com/why', 'so');
      return { status: 201, headers: {}, body: [new Uint8Array(3), new Uint8Array(4)] };
    });
    // The answer is read for its status, of which this level keeps no text.
    if (level === 'Metadata') {
      const deletion = { ...request, method: 'DELETE', info: parseRequest('DELETE', `${path}/x`, query), annotations: new Map() };
      await audit(deletion as unknown as Identified, async () => ({ status: 200, headers: {}, body: new Uint8Array(5) }));
    }
  }
  assert.deepEqual(told, [
    ['Metadata', 'RequestReceived', path.length],
    ['Metadata', 'ResponseComplete', path.length + 2],
    ['Metadata', 'RequestReceived', path.length],
    ['Metadata', 'ResponseComplete', path.length],
    ['Request', 'RequestReceived', path.length],
    ['Request', 'ResponseComplete', path.length + 2 + 30],
    ['RequestResponse', 'RequestReceived', path.length],
    ['RequestResponse', 'ResponseComplete', path.length + 2 + 37],
  ]);
});
