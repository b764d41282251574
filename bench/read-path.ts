/**
 * What reads cost inside the server, without sockets: processor time of one request from its head to the bytes of its answer. For looking at
 * one function at a time; what users notice is in `main.ts`.
 */
import { startServer } from '#server';

const MAPS = '/api/v1/namespaces/default/configmaps';
const HEADERS = { authorization: 'Bearer admintoken', 'content-type': 'application/json' };
const COUNT = 3_000;
const GROUPS = 10;

const server = await startServer({ listen: false, tokens: 'admintoken,admin,a,"system:masters"\n', controllers: 'none' });
const get = (path: string): Promise<unknown> => server.exchange({ path, headers: HEADERS });

for (let number = 0; number < COUNT; number++) {
  const metadata = { name: `map-${number}`, labels: { group: `g${number % GROUPS}`, number: `n${number}` } };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(900) } });
  await server.exchange({ method: 'POST', path: MAPS, headers: HEADERS, body });
}

const ROWS: readonly (readonly [name: string, times: number, path: (time: number) => string])[] = [
  ['get one', 20_000, () => `${MAPS}/map-7`],
  ['get one that is not there', 5_000, () => `${MAPS}/none`],
  ['list 500 of 3,000', 500, () => `${MAPS}?limit=500`],
  ['list all', 200, () => MAPS],
  ['list 10 % by a label, asked again', 1_000, () => `${MAPS}?labelSelector=group%3Dg3`],
  ['list one by a label, never asked before', 500, (time) => `${MAPS}?labelSelector=number%3Dn${time}`],
];

for (const [name, times, path] of ROWS) {
  for (let time = 0; time < times / 2; time++) await get(path(time + times));
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) await get(path(time));
  const { user, system } = process.cpuUsage(before);
  console.log(`${name.padEnd(44)} ${((user + system) / times).toFixed(1).padStart(8)} us`);
}
await server.close();
