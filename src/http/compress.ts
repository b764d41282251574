import { createGzip } from 'node:zlib';
import type { Outlet, Received, Reply } from '#request';
import { batches } from './reply.ts';
import { isAbandoned } from './received.ts';

/** Answers up to this size are not worth it. */
const MIN_COMPRESSED_BYTES = 128 * 1024;
/** Fast rather than small: what matters is the network, and level 1 already takes most of it. */
const GZIP_LEVEL = 1;

/**
 * Large answers leave compressed when the client takes gzip. The work is done off the main thread, piece by piece while the answer is
 * sent.
 */
export function compress(reply: Reply, received: Received): Reply {
  if ('stream' in reply || reply.headers['content-encoding'] !== undefined) return reply;
  const slices = reply.body instanceof Uint8Array ? [reply.body] : reply.body;
  if (!isLarge(slices) || !takesGzip(received)) return reply;
  return {
    status: reply.status,
    headers: { ...reply.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    stream: (out) => gzipInto(out, slices, received),
  };
}

function isLarge(slices: readonly Uint8Array[]): boolean {
  let size = 0;
  for (const slice of slices) {
    size += slice.length;
    if (size > MIN_COMPRESSED_BYTES) return true;
  }
  return false;
}

/** Only the bare word counts: `gzip;q=0` is a refusal, and weights are not weighed. */
function takesGzip(received: Received): boolean {
  const accepted = received.headers.get('accept-encoding') ?? [];
  return accepted.some((value) => value.split(',').some((coding) => coding.trim() === 'gzip'));
}

async function gzipInto(out: Outlet, slices: readonly Uint8Array[], received: Received): Promise<void> {
  const gzip = createGzip({ level: GZIP_LEVEL });
  const fed = feed(gzip, slices);
  for await (const chunk of gzip) {
    if (isAbandoned(received)) break;
    if (!out.write(chunk as Uint8Array)) await out.drained();
  }
  gzip.destroy();
  await fed;
}

async function feed(gzip: ReturnType<typeof createGzip>, slices: readonly Uint8Array[]): Promise<void> {
  let resume = (): void => {};
  gzip.on('drain', () => resume()).on('close', () => resume());
  for (const piece of batches(slices)) {
    for (const part of piece) {
      if (gzip.destroyed) return;
      if (gzip.write(part)) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  }
  gzip.end();
}
