/**
 * Writes to the store at the URL given until it is killed. Each line on standard output says one write that was acknowledged:
 * revision, key, and the value or `-` for a removal. The first line says the revision the store was found at.
 */
import { openEngine, type Commit } from '#storage';

const WRITERS = 16;
const KEYS_EACH = 5;

const [store = '', compacts = ''] = process.argv.slice(2);
const engine = await openEngine(store);
process.stdout.write(`${await engine.head()} head\n`);

async function writeForever(id: number): Promise<never> {
  for (let i = 0; ; i++) {
    const key = `/registry/things/w${id}/${i % KEYS_EACH}`;
    const expect = (await engine.get(key))?.revision ?? 0;
    const removes = expect !== 0 && i % 7 === 6;
    const value = `${process.pid}.${id}.${i}.${'x'.repeat((i * 131) % 3_000)}`;
    const commit: Commit = await engine.commit({ key, expect, ...(removes ? {} : { value: Buffer.from(value) }) });
    if (!commit.done) throw new Error(`${key} has one writer, and it lost`);
    process.stdout.write(`${commit.revision} ${key} ${removes ? '-' : value}\n`);
  }
}

async function compactForever(): Promise<never> {
  for (;;) {
    await engine.compact(Math.max(1, (await engine.head()) - 100));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

await Promise.all([...Array.from({ length: WRITERS }, (_, id) => writeForever(id)), ...(compacts === 'compact' ? [compactForever()] : [])]);
