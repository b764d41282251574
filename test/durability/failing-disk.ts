/**
 * Writes to the store at the URL given before, while and after calls of the system fail, which the file FAILING says; then starts anew. Prints what it
 * saw as one line of JSON.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { startServer, type RunningServer } from '#server';

const [store = '', failing = '', calls = ''] = process.argv.slice(2);
const warnings: string[] = [];
const keep = (message: string): number => warnings.push(message);
const path = '/api/v1/namespaces/default/configmaps';

const start = (): Promise<RunningServer> =>
  startServer({ store, listen: false, tokens: 't,admin,a,"system:masters"\n', controllers: 'none', aggregateRoles: false, log: { info: () => {}, warn: keep, error: keep } });

async function ask(server: RunningServer, method: string, where: string, body?: object): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
  const answer = await server.exchange({ method, path: where, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { status: answer.status, text: 'body' in answer ? Buffer.from(answer.body).toString() : '' };
}

const create = (server: RunningServer, name: string): ReturnType<typeof ask> =>
  ask(server, 'POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** What the last create was told, where it failed. */
let told: string | undefined;

async function statusesOf(server: RunningServer, name: string): Promise<readonly number[]> {
  const created = await create(server, name);
  told = (JSON.parse(created.text) as { readonly message?: string }).message;
  return [created.status, ...(await Promise.all([`${path}/before`, `${path}?resourceVersion=0`, '/livez'].map(async (where) => (await ask(server, 'GET', where)).status)))];
}

const server = await start();
const before = await statusesOf(server, 'before');
writeFileSync(failing, calls);
const during = await statusesOf(server, 'during');
const toldDuring = told;
rmSync(failing);
const afterwards = await statusesOf(server, 'afterwards');
await server.close();

const next = await start();
const list = JSON.parse((await ask(next, 'GET', path)).text) as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
const found = list.items.map(({ metadata }) => metadata.name);
const anew = await statusesOf(next, 'anew');
await next.close();
console.log(JSON.stringify({ before, during, afterwards, found, anew, told: toldDuring, warnings }));
