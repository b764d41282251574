/**
 * Writes to the store at the URL given, which lies on a small disk, until it is full; then reads, makes room and writes again.
 * Prints what it saw as one line of JSON.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '#server';

const [scheme = '', disk = ''] = process.argv.slice(2);
const ballast = join(disk, 'ballast');
writeFileSync(ballast, Buffer.alloc(3_000_000, 1));

const warnings: string[] = [];
const keep = (message: string): number => warnings.push(message);
const server = await startServer({
  store: `${scheme}://${disk}/store`,
  listen: false,
  tokens: 't,admin,a,"system:masters"\n',
  controllers: 'none',
  aggregateRoles: false,
  log: { info: () => {}, warn: keep, error: keep },
});
const path = '/api/v1/namespaces/default/configmaps';

async function ask(method: string, where: string, body?: object): Promise<{ readonly status: number; readonly message: string | undefined }> {
  const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
  const answer = await server.exchange({ method, path: where, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { message } = JSON.parse('body' in answer ? Buffer.from(answer.body).toString() : '{}') as { readonly message?: string };
  return { status: answer.status, message };
}

const create = (n: number): ReturnType<typeof ask> => ask('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${n}` }, data: { text: 'x'.repeat(50_000) } });

let created = 0;
let refused = await create(created);
while (refused.status === 201) refused = await create(++created);
const again = await create(created);
const read = await ask('GET', `${path}/c0`);
const list = await ask('GET', `${path}?limit=5`);
rmSync(ballast);
const afterwards = await create(created);
const last = await ask('GET', `${path}/c${created}`);
await server.close();
console.log(JSON.stringify({ created, refused, again, read: read.status, list: list.status, afterwards: afterwards.status, last: last.status, warnings }));
