/**
 * Fills a store on the small disk given, deletes most of it, forgets that and fills it again, round after round. Prints what it saw as one line of
 * JSON (`Seen`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { StillClock } from '#base';
import type { Engine } from '../../engine.ts';
import type { Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { driver } from './index.ts';
import { FULL_TOLD_MS } from './limits.ts';
import { problemsIn, spaceIn } from './test-support.ts';

export interface Seen {
  /** How many entries were created before there was no room, in each round. */
  readonly created: readonly number[];
  /** How many were created when most had been deleted, and a reader still saw them. */
  readonly createdWhileRead: number;
  readonly usedBytes: readonly number[];
  /** Free bytes of the disk when the store was opened anew, and what became of a delete and a write then. */
  readonly anew: { readonly freeBytes: number; readonly deleted: string; readonly created: string };
  /** Why another store cannot be made there. */
  readonly second: string;
  readonly wrong: readonly string[];
  readonly log: readonly string[];
}

const [disk = ''] = process.argv.slice(2);
const folder = join(disk, 'store');
const clock = new StillClock();
const log: string[] = [];
const wrong: string[] = [];
const live = new Map<string, { readonly revision: Revision; readonly bytes: number }>();
let names = 0;

const open = (location: string): Promise<Engine> => driver.open({ location, historySeconds: 300, clock, log: (message) => void log.push(message) });

/** What became of it: done, or the code of the failure. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (cause: unknown) => {
      if (!(cause instanceof StorageFailure)) throw cause;
      if (cause.code !== 'full') wrong.push(cause.message);
      return cause.code;
    },
  );
}

async function create(engine: Engine): Promise<string> {
  const key = `/${names++}`;
  const bytes = 100 + ((names * 7_919) % 30_000);
  return outcomeOf(
    engine.commit({ key, expect: 0, value: Buffer.alloc(bytes, key) }).then((commit) => {
      if (commit.done) live.set(key, { revision: commit.revision, bytes });
    }),
  );
}

/** Creates entries, a few at a time, until none of a few has room. */
async function fill(engine: Engine): Promise<number> {
  const before = live.size;
  for (let outcomes = ['done']; outcomes.includes('done'); ) outcomes = await Promise.all(Array.from({ length: 6 }, () => create(engine)));
  return live.size - before;
}

async function deleteMost(engine: Engine): Promise<void> {
  for (const [key, { revision }] of live) if (Number(key.slice(1)) % 8 !== 0 && (await outcomeOf(engine.commit({ key, expect: revision }))) === 'done') live.delete(key);
  await outcomeOf(engine.head().then((head) => engine.compact(head)));
}

/** All that was acknowledged is there, and nothing else. */
async function verify(engine: Engine): Promise<void> {
  const { entries } = await engine.scan({ start: '/', end: '0' });
  if (entries.length !== live.size) wrong.push(`${entries.length} entries instead of ${live.size}`);
  for (const { key, value } of entries) if (!Buffer.alloc(live.get(key)?.bytes ?? 0, key).equals(value)) wrong.push(key);
}

/** Another program takes the last free byte. */
function fillDisk(): void {
  for (const bytes of [65_536, 512]) {
    try {
      for (;;) appendFileSync(join(disk, 'ballast'), Buffer.alloc(bytes, 1));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause;
    }
  }
}

/** A process that sees the store as it is now, until the function returned is called. */
async function read(): Promise<() => Promise<void>> {
  const program = `
    const { openSnapshot } = await import(${JSON.stringify(new URL('./snapshot.js', import.meta.url).href)});
    const snapshot = await openSnapshot(${JSON.stringify(folder)});
    process.stdin.once('end', async () => snapshot.close()).resume();
    console.log('open');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}

let engine = await open(folder);
const created: number[] = [];
const usedBytes: number[] = [];
let createdWhileRead = 0;
for (let round = 0; round < 6; round++) {
  const endRead = round === 3 ? await read() : undefined;
  created.push(await fill(engine));
  if (round === 1) fillDisk();
  await deleteMost(engine);
  if (endRead !== undefined) {
    createdWhileRead = await fill(engine);
    await endRead();
    await deleteMost(engine);
  }
  await verify(engine);
  usedBytes.push(spaceIn(folder).usedBytes);
}
clock.turn(FULL_TOLD_MS);
await fill(engine);
await engine.close();
fillDisk();
const { bavail, bsize } = statfsSync(disk);
engine = await open(folder);
await verify(engine);
const [first] = live;
const deleted = await outcomeOf(engine.commit({ key: first![0], expect: first![1].revision }).then(() => live.delete(first![0])));
await deleteMost(engine);
const anew = { freeBytes: bavail * bsize, deleted, created: await create(engine) };
await verify(engine);
await engine.close();
fillDisk();
const second = await open(join(disk, 'second')).then(
  () => 'opened',
  (cause: unknown) => String(cause),
);
wrong.push(...(await problemsIn(folder)));
console.log(JSON.stringify({ created, createdWhileRead, usedBytes, anew, second, wrong, log } satisfies Seen));
