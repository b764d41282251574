/**
 * What a thousand CustomResourceDefinitions cost: the first hundred of them and the last, OpenAPI after each hundred, and that all go again, each while a
 * client reads one object after another. `--quick` makes three hundred. The server is a process of its own, with its store on disk.
 */
import { startLoadMaker, type LoadMaker } from './served/child.ts';
import { askJson } from './served/ask-json.ts';
import { besides, type Seen } from './served/besides.ts';
import { pause } from './served/pause.ts';
import { startServed, type Served } from './served/server.ts';

const HUNDREDS = process.argv.includes('--quick') ? 3 : 10;
const CLIENTS = 8;
const FIELDS = 60;
const LOOK_EVERY_MS = 20;
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The body of a definition in a group of its own; `{n}` as in `load.ts`. */
function definition(): string {
  const description = 'some words about this field, as long as they usually are';
  const fields = Object.fromEntries(Array.from({ length: FIELDS }, (_, n) => [`field${n}`, { type: 'string', description }]));
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } } };
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const group = 'g{n}.example.com';
  return JSON.stringify({ metadata: { name: `things.${group}` }, spec: { group, scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, schema }] } });
}

function tell(title: string, count: number, { tookMs, reads, p99Ms, longestTurnMs, rssMegabytes }: Seen): void {
  const each = `${(tookMs / count).toFixed(1)} ms${count > 1 ? ' each' : ''}`;
  console.log(`${title.padEnd(26)} ${each.padEnd(14)} ${reads} reads beside it: p99 ${p99Ms.toFixed(1)} ms; longest hold-up ${longestTurnMs.toFixed(0)} ms; ${rssMegabytes.toFixed(0)} MB`);
}

/** Makes a hundred, until the last one is established. */
async function make(served: Served, maker: LoadMaker, first: number): Promise<void> {
  const last = first + 99;
  const order = { do: 'requests', protocol: 'h1', port: served.port, clients: CLIENTS, method: 'POST', path: PATH, body: definition(), warmUpSeconds: 0, seconds: 600, first, last } as const;
  const { failures } = await maker.run(order, () => {});
  if (Object.keys(failures).length > 0) throw new Error(JSON.stringify(failures));
  while (!(await askJson(served.port, 'GET', `${PATH}/things.g${last}.example.com`)).text.includes('InitialNamesAccepted')) await pause(LOOK_EVERY_MS);
}

const served = await startServed();
const maker = startLoadMaker();
try {
  for (let hundred = 0; hundred < HUNDREDS; hundred++) {
    tell(`definitions ${hundred * 100} to ${hundred * 100 + 99}`, 100, await besides(served, () => make(served, maker, hundred * 100)));
    tell('  OpenAPI of all', 1, await besides(served, async () => void (await askJson(served.port, 'GET', '/openapi/v2'))));
  }
  const all = await besides(served, async () => {
    await askJson(served.port, 'DELETE', PATH);
    while (((await askJson(served.port, 'GET', `${PATH}?limit=1`)).body.items?.length ?? 0) > 0) await pause(LOOK_EVERY_MS);
  });
  tell(`all ${HUNDREDS * 100} go`, HUNDREDS * 100, all);
} finally {
  await maker.stop();
  await served.stop();
}
