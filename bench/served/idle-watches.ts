import { startBare, type Watched } from './child.ts';
import { openWatches } from './open-watches.ts';
import type { Settled } from './observe.ts';
import { startServed } from './server.ts';

/** Resident memory moves by a megabyte or two whatever is asked: with so many that is little for each. */
const WATCHES = 1_500;
/** Opened before: what is made on first use is not what a watch costs, nor is the engine's young generation, which grows by some 16 MB once. */
const FIRST = 1_500;
/** As clients that keep a copy of a resource ask for it. */
const PATH = '/api/v1/namespaces/idle/configmaps?allowWatchBookmarks=true&timeoutSeconds=570&watch=true';
const BARE_PATH = '/watch';

/** What a watch on which nothing happens costs a server: ours, and one that only keeps an answer open. In bytes. */
export function costOfIdle(protocol: 'h1' | 'h2', which: 'ours' | 'bare'): Promise<Settled> {
  return which === 'bare' ? costOfBare(protocol) : costOfOurs(protocol);
}

async function costOfBare(protocol: 'h1' | 'h2'): Promise<Settled> {
  const bare = await startBare('test/fixtures/tls');
  try {
    return await measure(bare, protocol, bare[protocol], BARE_PATH);
  } finally {
    await bare.stop();
  }
}

async function costOfOurs(protocol: 'h1' | 'h2'): Promise<Settled> {
  const served = await startServed();
  try {
    return await measure(served, protocol, served.port, PATH);
  } finally {
    await served.stop();
  }
}

async function measure(server: Watched, protocol: 'h1' | 'h2', port: number, path: string): Promise<Settled> {
  const first = await openWatches(protocol, port, path, FIRST);
  const before = await server.settle();
  const watches = await openWatches(protocol, port, path, WATCHES);
  const after = await server.settle();
  const ended = watches.ended() + first.ended();
  for (const opened of [first, watches]) opened.close();
  if (ended > 0) throw new Error(`${ended} of ${WATCHES} idle watches ended`);
  const each = (part: keyof Settled): number => (after[part] - before[part]) / WATCHES;
  return { heapBytes: each('heapBytes'), externalBytes: each('externalBytes'), rssBytes: each('rssBytes') };
}
