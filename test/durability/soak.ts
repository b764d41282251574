/**
 * The highest write rate that a store takes, with deletions, compaction and readers that go through everything slowly. Ends after the seconds
 * given, and prints figures as one line of JSON; every live value says which write it came from, so contents can be compared with the model.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine, type Commit, type Revision } from '#storage';

const [scheme = '', folder = '', secondsText = ''] = process.argv.slice(2);
const WRITERS = 128;
const KEYS_EACH = 40;
const FILES: Readonly<Record<string, string>> = { lmdb: 'orch.mdb', sqlite: 'orch.sqlite' };

const engine = await openEngine(`${scheme}://${folder}`, { historySeconds: 5 });
console.log('open');
const startMs = performance.now();
const isOver = (): boolean => performance.now() - startMs >= Number(secondsText) * 1_000;
/** Revision and value of every live key. */
const model = new Map<string, { readonly revision: Revision; readonly value: string }>();
let writes = 0;
let removals = 0;

async function write(id: number): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const key = `/registry/things/w${id}/${(i * 7) % KEYS_EACH}`;
    const expect = model.get(key)?.revision ?? 0;
    const value = `${id}.${i}.${'x'.repeat((i * 131 + id) % 3_000)}`;
    const removes = expect !== 0 && i % 5 === 4;
    const commit: Commit = await engine.commit({ key, expect, ...(removes ? {} : { value: Buffer.from(value) }) });
    if (!commit.done) throw new Error(`${key} has one writer, and it lost`);
    if (removes) model.delete(key);
    else model.set(key, { revision: commit.revision, value });
    writes++;
    if (removes) removals++;
  }
}

/** Page by page through one revision, slowly, as a client that is in no hurry. */
let pages = 0;
async function read(): Promise<void> {
  while (!isOver()) {
    let start = '/';
    const at = await engine.head();
    let seen = 0;
    try {
      for (let more = true; more && !isOver(); pages++) {
        const page = await engine.scan({ start, end: '0', at, limit: 100 });
        for (const { key, revision } of page.entries) if (revision > at || key < start) throw new Error(`${key} of revision ${revision} shows at ${at}`);
        seen += page.entries.length;
        more = page.more;
        start = `${page.entries.at(-1)?.key ?? start}\0`;
        await pause(20);
      }
    } catch (cause) {
      // A reader that was slower than history begins anew.
      if (!String(cause).includes('no longer kept')) throw cause;
    }
    if (seen > WRITERS * KEYS_EACH) throw new Error(`${seen} entries where ${WRITERS * KEYS_EACH} can be`);
  }
}

/** Every change once and in order. */
let followed = 1;
engine.follow('/', 1, {
  changes(batch) {
    for (const { revision } of batch) {
      if (revision !== followed + 1) throw new Error(`revision ${revision} came after ${followed}`);
      followed = revision;
    }
  },
  lost(why) {
    if (!isOver()) throw why;
  },
}, new AbortController().signal);

const sizes: number[] = [];
async function measure(): Promise<void> {
  while (!isOver()) {
    await pause(Math.min(5_000, Number(secondsText) * 100));
    sizes.push(Math.round(statSync(join(folder, FILES[scheme] ?? '')).size / 1e6));
  }
}

await Promise.all([...Array.from({ length: WRITERS }, (_, id) => write(id)), read(), read(), measure()]);
const seconds = (performance.now() - startMs) / 1_000;
const wrong: string[] = [];
const { entries, revision } = await engine.scan({ start: '/', end: '0' });
if (entries.length !== model.size) wrong.push(`${entries.length} entries, ${model.size} expected`);
for (const entry of entries) {
  const expected = model.get(entry.key);
  if (expected?.revision !== entry.revision || expected.value !== Buffer.from(entry.value).toString()) wrong.push(`${entry.key} is not what was written last`);
}
if (revision !== writes + 1 || followed !== revision) wrong.push(`${writes} writes, newest revision ${revision}, followed to ${followed}`);
await engine.close();
console.log(JSON.stringify({ writes, removals, pages, perSecond: Math.round(writes / seconds), megabytes: sizes, residentMb: Math.round(process.memoryUsage.rss() / 1e6), wrong }));
