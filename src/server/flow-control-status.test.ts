import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, StillClock } from '#base';
import { brandOf, type ApiObject } from '#api';
import { FlowControl } from '#flowcontrol';
import { FlowSchemaStatus } from './flow-control-status.ts';

/** Schemas without a level, and a server that answers writes of their status as it is told. */
function open() {
  const clock = new StillClock();
  const { classes } = new FlowControl({ totalSeats: 10, maxWaitMs: 1_000, clock });
  const server = { status: 500 };
  const asked: string[] = [];
  const loopback = async ({ path }: { readonly path: string }) => {
    asked.push(path.split('/').slice(-2).join('/'));
    return { status: server.status, headers: {}, warnings: [], body: new Uint8Array() };
  };
  const status = new FlowSchemaStatus({ classes, brand: brandOf('orch'), loopback, clock, log: silentLog });
  const put = (name: string, conditions?: readonly object[]): void => {
    const object = { apiVersion: 'v1', kind: 'FlowSchema', metadata: { name }, spec: { priorityLevelConfiguration: { name: 'gone' } }, status: { conditions } };
    classes.put('FlowSchema', object as ApiObject);
    status.look();
  };
  /** What is asked for in the next seconds, one by one. */
  const within = async (seconds: number): Promise<readonly string[]> => {
    for (let at = 0; at < seconds; at++) {
      clock.turn(1_000);
      await new Promise(setImmediate);
    }
    return asked.splice(0);
  };
  return { server, status, put, within };
}

test('a status that cannot be written is tried again every five seconds, however often schemas change meanwhile, and no more once it is there', async () => {
  const { server, status, put, within } = open();
  const ending = new AbortController();
  put('a');
  await status.start(ending.signal);
  assert.deepEqual(await within(0), ['a/status']);
  for (let changes = 0; changes < 4; changes++) {
    put('a');
    assert.deepEqual(await within(1), ['a/status']);
  }
  assert.deepEqual(await within(20), ['a/status', 'a/status', 'a/status', 'a/status']);
  server.status = 200;
  assert.deepEqual(await within(5), ['a/status']);
  assert.deepEqual(await within(20), []);
  server.status = 500;
  put('a');
  ending.abort();
  put('b');
  assert.deepEqual(await within(20), ['a/status']);
});
