/**
 * Ends with 0 when the store at the URL given has all that `writer.ts` was told to be durable, which standard input says in the words of the writer,
 * and fits together.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { checkStore, openEngine } from '#storage';
import { checkAll, checkFeed, parseTold } from '../acknowledged.ts';

const [url = ''] = process.argv.slice(2);
const { found, acknowledged } = parseTold(readFileSync(0, 'utf8'));
const engine = await openEngine(url);
const head = await engine.head();
assert.ok(head >= Math.max(found, ...acknowledged.map(({ revision }) => revision)), `the counter went down to ${head}`);
await checkAll(engine, acknowledged);
if (found > 0) await checkFeed(engine, found, acknowledged);
await engine.close();
assert.deepEqual((await checkStore(url, () => {})).problems, []);
