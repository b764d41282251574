import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { brandOf, createCatalog, type Follower, type ObjectAccess } from '#api';
import { deferred, SetClock, silentLog } from '#base';
import { plainReply, type Identified } from '#request';
import { AggregatedApis } from './aggregated-apis.ts';

const API = {
  metadata: { name: 'v1.g.example.com' },
  spec: { group: 'g.example.com', version: 'v1', service: { namespace: 'n', name: 's' } },
  status: { conditions: [{ type: 'Available', status: 'True' }] },
};
const SERVICE = { metadata: { namespace: 'n', name: 's' }, spec: { type: 'ExternalName', externalName: 'x.example' } };

/** The APIs of a server that starts on this store; `isRead` of a kind is awaited. */
function apisOn(stored: Readonly<Record<string, object>>, isRead: (kind: string) => Promise<void>): AggregatedApis {
  const follow = async ({ kind }: { kind: string }, { put }: Follower): Promise<void> => {
    await isRead(kind);
    const object = stored[kind];
    if (object !== undefined) put(object as never);
  };
  return new AggregatedApis({
    catalog: createCatalog([], brandOf('kubernetes')),
    objects: { follow } as unknown as ObjectAccess,
    registries: {} as never,
    clock: new SetClock(),
    log: silentLog,
    handOn: async (_request, { backEnd }) => plainReply(200, backEnd.host),
    prioritiesOf: (() => undefined) as never,
    observer: { services() {}, lost() {} },
  });
}

const REQUEST = { id: '', user: { name: 'u', groups: [] }, headers: new Map(), query: new URLSearchParams(), info: { path: '/apis/g.example.com/v1/things' } } as unknown as Identified;

test('a server that starts knows where an API of another server leads before it serves', async () => {
  const isRead = deferred<void>();
  const apis = apisOn({ APIService: API, Service: SERVICE }, (kind) => (kind === 'Endpoints' ? isRead.promise : Promise.resolve()));
  let isOver = false;
  const following = apis.follow(new AbortController().signal).then(() => (isOver = true));
  await turn();
  assert.equal(isOver, false);
  isRead.resolve();
  await following;
  const reply = await apis.proxy(REQUEST);
  assert.equal(reply?.status, 200);
});

test('a server starts although it cannot be read where an API of another server leads', async () => {
  const apis = apisOn({ APIService: API, Service: SERVICE }, async (kind) => {
    if (kind === 'Endpoints') throw new Error('an entry cannot be read');
  });
  await apis.follow(new AbortController().signal);
  const reply = await apis.proxy(REQUEST);
  assert.equal(reply?.status, 503);
});

test('where no other server serves an API, nothing is read of services and endpoints', async () => {
  const read: string[] = [];
  const apis = apisOn({}, async (kind) => void read.push(kind));
  await apis.follow(new AbortController().signal);
  assert.deepEqual(read, ['APIService']);
});
