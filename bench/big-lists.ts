/**
 * 400 Secrets of 1 MB listed by 64 clients at once, fast, slow and standing still, in JSON, compressed, in protobuf, as a whole and in pages,
 * and in forms that are made for each answer alone, while another client reads one small object after another. Prints how much memory that takes
 * and what the other client notices. Bars: 1.5 GB resident, the pages of the store that the system keeps for it included; no hold-up beyond 50 ms.
 * Runs for about a minute.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { askJson } from './served/ask-json.ts';
import { besides, type Seen } from './served/besides.ts';
import { end, startLoadMaker } from './served/child.ts';
import type { Readers, ReadersOrder, ReadSoFar } from './served/list-readers.ts';
import { pause } from './served/pause.ts';
import { plainLine } from './served/report.ts';
import { startServed, type Served } from './served/server.ts';

const SECRETS = '/api/v1/namespaces/big/secrets';
const COUNT = 400;
const VALUE = Buffer.alloc(750_000, 7).toString('base64');
const MB = 1024 * 1024;
const ALONE_MS = 1_500;
const TOGETHER_MS = 8_000;
const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const TABLE = `${JSON_TYPE};as=Table;v=v1;g=meta.k8s.io`;

/** 64 in each row. */
const CROWDS: readonly { readonly title: string; readonly readers: readonly Readers[] }[] = [
  {
    title: 'whole lists in JSON',
    readers: [
      { count: 8, path: SECRETS, accept: JSON_TYPE, takesGzip: false },
      { count: 40, path: SECRETS, accept: JSON_TYPE, takesGzip: false, bytesPerSecond: MB },
      { count: 16, path: SECRETS, accept: JSON_TYPE, takesGzip: false, bytesPerSecond: 0 },
    ],
  },
  {
    title: 'pages of 500, compressed, protobuf',
    readers: [
      { count: 8, path: `${SECRETS}?limit=500`, accept: JSON_TYPE, takesGzip: false },
      { count: 8, path: `${SECRETS}?limit=500`, accept: JSON_TYPE, takesGzip: true },
      { count: 24, path: `${SECRETS}?limit=500`, accept: JSON_TYPE, takesGzip: false, bytesPerSecond: MB },
      { count: 24, path: SECRETS, accept: PROTOBUF, takesGzip: false, bytesPerSecond: MB },
    ],
  },
  {
    title: 'indented, YAML, tables of objects',
    readers: [
      { count: 24, path: SECRETS, accept: `${JSON_TYPE};pretty=1`, takesGzip: false, bytesPerSecond: MB },
      { count: 8, path: SECRETS, accept: `${JSON_TYPE};pretty=1`, takesGzip: true, bytesPerSecond: MB },
      { count: 16, path: SECRETS, accept: 'application/yaml', takesGzip: false, bytesPerSecond: MB },
      { count: 16, path: `${SECRETS}?includeObject=Object`, accept: TABLE, takesGzip: false, bytesPerSecond: 0 },
    ],
  },
];

/** Lists at the same time, for a while. */
async function listTogether(served: Served, readers: readonly Readers[]): Promise<{ readonly seen: Seen; readonly read: ReadSoFar }> {
  const child = fork(fileURLToPath(new URL('served/list-readers.js', import.meta.url)));
  try {
    const seen = await besides(served, async () => {
      child.send({ port: served.port, readers } satisfies ReadersOrder);
      await pause(TOGETHER_MS);
    });
    child.send('tell');
    const [read] = (await once(child, 'message')) as [ReadSoFar];
    return { seen, read };
  } finally {
    await end(child);
  }
}

function tell(title: string, { seen, read }: Awaited<ReturnType<typeof listTogether>>): void {
  console.log(`${plainLine(title, `${seen.peakRssMegabytes.toFixed(0)} MB`, '1,500 MB')}   ${(read.bytes / MB).toFixed(0)} MB read, ${read.whole} lists to their end, failures ${JSON.stringify(read.failures)}`);
  tellReads(seen);
}

function tellReads({ reads, p50Ms, p99Ms, longestTurnMs }: Seen): void {
  console.log(`${''.padEnd(38)} ${reads} reads beside it: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; longest hold-up ${longestTurnMs.toFixed(0)} ms (bar 50 ms)`);
}

async function fill(served: Served): Promise<void> {
  const { port } = served;
  await askJson(port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: 'big' } }));
  const maker = startLoadMaker();
  try {
    const body = JSON.stringify({ metadata: { name: 'secret-{n}' }, data: { value: VALUE } });
    const load = { do: 'requests', protocol: 'h1', port, method: 'POST', clients: 4, warmUpSeconds: 0, seconds: 60 } as const;
    const { failures } = await maker.run({ ...load, path: SECRETS, body, last: COUNT - 1 }, () => {});
    if (Object.keys(failures).length > 0) throw new Error(`filling: ${JSON.stringify(failures)}`);
  } finally {
    await maker.stop();
  }
}

for (const { title, readers } of CROWDS) {
  const filled = await startServed();
  await fill(filled);
  await filled.stop({ keep: true });
  // A server that has just started has nothing in memory yet.
  const served = await startServed(filled.folder);
  try {
    console.log('reads alone');
    tellReads(await besides(served, () => pause(ALONE_MS)));
    tell(title, await listTogether(served, readers));
  } finally {
    await served.stop();
  }
}
