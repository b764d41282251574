import { connect, type TLSSocket } from 'node:tls';
import { askJson } from './ask-json.ts';
import { TOKEN } from './load.ts';
import { configMap } from './objects.ts';
import { startServed, type Served } from './server.ts';

const STUCK = 8;
const EVENT_BYTES = 200_000;
/** More than a watch may have waiting, twice. */
const EVENTS = 220;
/** Below what a watch may have waiting. */
const EVENTS_BEFORE_THE_END = 90;
const MAPS = '/api/v1/namespaces/stuck/configmaps';

export interface StuckWatches {
  readonly watches: number;
  /** What the server kept for all of them shortly before it gave them up, and some time after. */
  readonly heldBytes: number;
  readonly leftBytes: number;
  /** The most that one of them was sent before it was ended. */
  readonly sentBytes: number;
  readonly written: number;
  /** Of events that each saw before it was ended, the fewest; and in all, with the watch that went on from there. */
  readonly seenAtFirst: number;
  readonly seenInAll: number;
}

/** Watches whose clients do not read, while much is written. Each then reads what there is and goes on from the last version that it saw. */
export async function stuckWatches(): Promise<StuckWatches> {
  const served = await startServed();
  try {
    await askJson(served.port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: 'stuck' } }));
    await askJson(served.port, 'POST', MAPS, configMap('big'));
    await write(served, EVENTS_BEFORE_THE_END);
    const before = await kept(served);
    const stuck = await Promise.all(Array.from({ length: STUCK }, () => UnreadWatch.open(served.port, `${MAPS}?watch=1`)));
    const versions = await write(served, EVENTS_BEFORE_THE_END);
    const heldBytes = (await kept(served)) - before;
    versions.push(...(await write(served, EVENTS - EVENTS_BEFORE_THE_END)));
    const leftBytes = (await kept(served)) - before;
    const seen = await Promise.all(stuck.map((watch) => watch.readAll()));
    const inAll = await Promise.all(seen.map((own) => goOn(served.port, own, versions)));
    return {
      watches: STUCK,
      heldBytes,
      leftBytes,
      sentBytes: Math.max(...stuck.map(({ bytes }) => bytes)),
      written: versions.length,
      seenAtFirst: Math.min(...seen.map((own) => own.filter((version) => versions.includes(version)).length)),
      seenInAll: Math.min(...inAll),
    };
  } finally {
    await served.stop();
  }
}

async function kept(served: Served): Promise<number> {
  const { heapBytes, externalBytes } = await served.settle();
  return heapBytes + externalBytes;
}

/** Returns the versions that came of it. */
async function write(served: Served, count: number): Promise<string[]> {
  const versions: string[] = [];
  for (let at = 0; at < count; at++) {
    const { status, text } = await askJson(served.port, 'PUT', `${MAPS}/big`, configMap('big', { at: String(at), filling: 'x'.repeat(EVENT_BYTES) }));
    if (status !== 200) throw new Error(text);
    versions.push(versionOf(text));
  }
  return versions;
}

/** How many of `versions` were seen, in this order and each once, with a watch that begins where the other ended. */
async function goOn(port: number, seen: readonly string[], versions: readonly string[]): Promise<number> {
  const from = seen.at(-1);
  const own = seen.filter((version) => versions.includes(version));
  const rest = versions.slice(own.length);
  if (rest.length > 0) {
    const watch = await UnreadWatch.open(port, `${MAPS}?watch=1&resourceVersion=${from}`);
    own.push(...(await watch.readAll(rest.length)));
  }
  const wrong = own.findIndex((version, at) => version !== versions[at]);
  if (wrong >= 0) throw new Error(`event ${wrong} has version ${own[wrong]}, not ${versions[wrong]}`);
  return own.length;
}

const versionOf = (text: string): string => /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '';

/** A watch over HTTP/1.1 whose client reads nothing until it is told to. */
class UnreadWatch {
  bytes = 0;
  readonly #socket: TLSSocket;

  static open(port: number, path: string): Promise<UnreadWatch> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: application/json\r\nUser-Agent: bench\r\n\r\n`);
      });
      socket.on('error', reject);
      socket.once('data', (head: Buffer) => {
        socket.pause();
        const end = head.indexOf('\r\n\r\n') + 4;
        if (end < head.length) socket.unshift(head.subarray(end));
        resolve(new UnreadWatch(socket));
      });
    });
  }

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
  }

  /** The versions of all events until the watch ends, or of so many. */
  readAll(count = Infinity): Promise<string[]> {
    const versions: string[] = [];
    let tail = '';
    return new Promise((resolve) => {
      this.#socket.on('close', () => resolve(versions));
      this.#socket.on('data', (chunk: Buffer) => {
        this.bytes += chunk.length;
        const lines = (tail + chunk.toString('latin1')).split('}\n');
        tail = lines.pop() ?? '';
        for (const line of lines) versions.push(versionOf(line));
        // The last of all chunks: the server has ended the stream and keeps the connection.
        if (tail.endsWith('\r\n0\r\n\r\n') || versions.length >= count) this.#socket.destroy();
      });
      this.#socket.resume();
    });
  }
}
