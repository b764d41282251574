import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer, type TestServer } from '#testing';
import { EtcdProcess, NO_ETCD } from '../test/etcd/etcd-process.ts';

/**
 * What each engine costs: the same requests, in process, to a server on each store, all durable. LMDB's rates are the measure of the others.
 * Leaves out what this machine has not. Runs for half a minute.
 */
const ROUNDS = 3;
const OBJECTS = 600;
const PAGE = 500;
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Work {
  readonly name: string;
  readonly clients: number;
  readonly times: number;
  readonly run: (server: TestServer, index: number, round: number) => ReturnType<TestServer['request']>;
}

const create: Work['run'] = (server, index, round) => server.request('POST', MAPS, bodyOf(`made-${round}-${index}`));
const WORKS: readonly Work[] = [
  { name: 'create, 1 client', clients: 1, times: 100, run: (server, index, round) => create(server, index, -1 - round) },
  { name: 'create, 16 clients', clients: 16, times: OBJECTS, run: create },
  { name: 'update, 16 clients', clients: 16, times: OBJECTS, run: (server, index, round) => server.request('PUT', `${MAPS}/made-0-${index}`, bodyOf(`made-0-${index}`, round)) },
  { name: 'get, 16 clients', clients: 16, times: 5 * OBJECTS, run: (server, index) => server.request('GET', `${MAPS}/made-0-${index % OBJECTS}`) },
  { name: 'consistent get by list, 16 clients', clients: 16, times: OBJECTS, run: (server, index) => server.request('GET', `${MAPS}?fieldSelector=metadata.name%3Dmade-0-${index}`) },
  { name: `consistent list of ${PAGE}, 4 clients`, clients: 4, times: 40, run: (server) => server.request('GET', `${MAPS}?limit=${PAGE}`) },
];

const folder = mkdtempSync(path.join(tmpdir(), 'orch-bench-'));
const stores: [name: string, store: string][] = [['lmdb', `lmdb://${path.join(folder, 'lmdb')}`]];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 13)) stores.push(['sqlite', `sqlite://${path.join(folder, 'sqlite')}`]);
else console.log('left out sqlite: this Node has none, 22.13 and newer do');
// As it is run for real: what it has acknowledged is on disk.
const etcd = NO_ETCD === false ? await EtcdProcess.start(['--unsafe-no-fsync=false']) : undefined;
if (etcd !== undefined) stores.push(['etcd', `etcd://${etcd.address}`]);

const servers = new Map<string, TestServer>();
try {
  for (const [name, store] of stores) servers.set(name, await startTestServer({ store, controllers: 'none' }));
  for (const work of WORKS) await compare(work);
} finally {
  for (const server of servers.values()) await server.close();
  await etcd?.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** The best of some rounds, in turns, so that each engine has the same share of a quiet machine. */
async function compare(work: Work): Promise<void> {
  const best = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, server] of servers) best.set(name, Math.max(best.get(name) ?? 0, await rateOf(work, server, round)));
  }
  const measure = best.get('lmdb') ?? 1;
  const told = [...best].map(([name, rate]) => `${name} ${rate.toFixed(0)}/s${name === 'lmdb' ? '' : ` (× ${(rate / measure).toFixed(2)})`}`);
  console.log(`${work.name.padEnd(36)} ${told.join(', ')}`);
}

async function rateOf({ clients, times, run }: Work, server: TestServer, round: number): Promise<number> {
  let next = 0;
  const startedMs = performance.now();
  const client = async (): Promise<void> => {
    while (next < times) {
      const { status, text } = await run(server, next++, round);
      if (status >= 300) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (times / (performance.now() - startedMs)) * 1000;
}

function bodyOf(name: string, round = 0): object {
  return { metadata: { name }, data: { round: String(round), text: 'x'.repeat(500) } };
}
