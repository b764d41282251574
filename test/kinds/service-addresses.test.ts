// Addresses and ports that the server hands out, over the ends of servers: what one gave another knows.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, type TestJson, type TestServer } from '#testing';

const SERVICES = '/api/v1/namespaces/default/services';
/** Room for the service of the API, twelve others, and nobody else. */
const ROOM = { clusterIps: ['10.9.0.0/28'], nodePorts: [31_000, 31_011] } as const;

for (const dialect of DIALECTS) {
  test(`servers after one another never give an address or a port twice, and give again what came free (${dialect})`, async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-addresses-'));
    const withServer = async (work: (server: TestServer) => Promise<void>): Promise<void> => {
      const server = await startTestServer({ dialect, controllers: 'none', store: `lmdb://${folder}/data`, services: ROOM });
      try {
        await work(server);
      } finally {
        await server.close();
      }
    };
    const make = (server: TestServer, name: string) => server.request('POST', SERVICES, { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
    const makeAll = async (server: TestServer, names: readonly string[]): Promise<void> => {
      const answers = await Promise.all(names.map((name) => make(server, name)));
      assert.deepEqual(answers.map(({ status }) => status), names.map(() => 201));
    };
    const held = async (server: TestServer): Promise<readonly string[]> => {
      const { items } = (await server.request('GET', SERVICES)).body as { items: readonly TestJson[] };
      const values = items.flatMap(({ spec }) => [spec.clusterIP, spec.ports[0].nodePort ?? 0]).filter((value) => value !== 0);
      assert.equal(new Set(values).size, values.length, values.join(' '));
      return values.map(String).sort();
    };
    const names = (prefix: string): readonly string[] => Array.from({ length: 6 }, (_, number) => `${prefix}${number}`);
    try {
      await withServer((server) => makeAll(server, names('a')));
      await withServer(async (server) => {
        await makeAll(server, names('b'));
        assert.equal((await held(server)).length, 25);
        assert.notEqual((await make(server, 'late')).status, 201, 'every port is taken');
        assert.equal((await server.request('DELETE', `${SERVICES}/a3`)).status, 200);
      });
      await withServer(async (server) => {
        await makeAll(server, ['late']);
        assert.equal((await held(server)).length, 25);
      });
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
}
