import { createGzip } from 'node:zlib';
import type { BodyReply, MadeReply, Outlet, Received, Reply } from '#request';
import { batches, type Runs } from './body-batches.ts';
import { isAbandoned } from './received.ts';
import { varyAlsoBy } from './vary.ts';

/** Smaller responses are not compressed: it would cost more than it saves. */
const MIN_COMPRESSED_BYTES = 128 * 1024;
/** The fastest level: it already saves most of the network traffic. */
const GZIP_LEVEL = 1;

/** Compresses a large response when the client accepts gzip. zlib works off the main thread, chunk by chunk while the response is sent. */
export function compress(reply: Reply, received: Received): Reply {
  if ('stream' in reply || reply.headers['content-encoding'] !== undefined) return reply;
  if (!isLarge(reply) || !takesGzip(received)) return reply;
  const runs = 'pieces' in reply ? reply.pieces : [slicesOf(reply.body)];
  return {
    status: reply.status,
    headers: { ...reply.headers, 'content-encoding': 'gzip', vary: varyAlsoBy('Accept-Encoding', reply.headers) },
    stream: (out) => gzipInto(out, runs, received),
  };
}

const slicesOf = (body: Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] => (body instanceof Uint8Array ? [body] : body);

function isLarge(reply: BodyReply | MadeReply): boolean {
  if ('pieces' in reply) return true;
  let size = 0;
  for (const slice of slicesOf(reply.body)) {
    size += slice.length;
    if (size > MIN_COMPRESSED_BYTES) return true;
  }
  return false;
}

/** Only `gzip` without parameters counts: `gzip;q=0` is a refusal, and quality values are not compared. */
function takesGzip(received: Received): boolean {
  const accepted = received.headers.get('accept-encoding') ?? [];
  return accepted.some((value) => value.split(',').some((coding) => coding.trim() === 'gzip'));
}

async function gzipInto(out: Outlet, runs: Runs, received: Received): Promise<void> {
  const gzip = createGzip({ level: GZIP_LEVEL });
  const fed = feed(gzip, runs).catch((failure: unknown) => void gzip.destroy(failure as Error));
  for await (const chunk of gzip) {
    if (isAbandoned(received)) break;
    if (!out.write(chunk as Uint8Array)) await out.drained();
  }
  gzip.destroy();
  await fed;
}

async function feed(gzip: ReturnType<typeof createGzip>, runs: Runs): Promise<void> {
  let resume = (): void => {};
  gzip.on('drain', () => resume()).on('close', () => resume());
  for await (const slices of runs) {
    for (const part of partsOf(slices)) {
      if (gzip.destroyed) return;
      if (gzip.write(part)) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  }
  gzip.end();
}

function* partsOf(slices: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const batch of batches(slices)) yield* batch;
}
