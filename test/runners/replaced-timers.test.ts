import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { startServer } from '#server';
import { startTestServer } from '#testing';

const TOKENS = 'secret,admin,admin,"system:masters"';
const NAMESPACES = '/api/v1/namespaces';

/** While nothing that waits for a global timer goes on, and the global date stands still. */
async function inStoppedTime(work: () => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'], now: 0 });
  try {
    await work();
  } finally {
    mock.timers.reset();
  }
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent: false, headers: { authorization: 'Bearer secret' } }, (response) => response.resume().once('end', () => resolve(response.statusCode)));
    request.once('error', reject);
  });
}

test('a test that stops its own time does not stop the server: it starts, answers and ends', async () => {
  await inStoppedTime(async () => {
    const server = await startServer({ tokens: TOKENS });
    assert.equal(await statusOf(server.url + NAMESPACES), 200);
    await server.close();
  });
});

test('a watch is told of changes, in real time, while the test stops its own', async () => {
  await inStoppedTime(async () => {
    const server = await startTestServer();
    const watch = await server.watch(`${NAMESPACES}?watch=true&fieldSelector=metadata.name=late`);
    const { body } = await server.request('POST', NAMESPACES, { metadata: { name: 'late' } });
    assert.equal((await watch.next(1))[0].type, 'ADDED');
    await watch.stop();
    assert.ok(Date.parse((body as { metadata: { creationTimestamp: string } }).metadata.creationTimestamp) > Date.UTC(2020), 'the date of the machine');
    await server.close();
  });
});

test('a store on disk writes and closes while the test stops its own time', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-stopped-'));
  t.after(() => rm(folder, { recursive: true }));
  await inStoppedTime(async () => {
    const server = await startTestServer({ store: `lmdb://${folder}` });
    assert.equal((await server.request('POST', NAMESPACES, { metadata: { name: 'kept' } })).status, 201);
    await server.close();
  });
});

test('an environment that plays a browser, with timers that are numbers or not there, is no hindrance', () => {
  const program = `
    let last = 0;
    globalThis.setTimeout = globalThis.setInterval = () => ++last;
    globalThis.clearTimeout = globalThis.clearInterval = () => {};
    delete globalThis.setImmediate;
    const { startServer } = await import(${JSON.stringify(import.meta.resolve('#server'))});
    const server = await startServer({ tokens: ${JSON.stringify(TOKENS)} });
    const { status } = await server.exchange({ method: 'GET', path: '${NAMESPACES}', headers: { authorization: 'Bearer secret' } });
    await server.close();
    console.log(status);
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(stdout, '200\n', stderr);
});
