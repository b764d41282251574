import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { bareMediaType } from '#codec';
import { TransportFailure, type BackEndAnswer } from '#transport';
import { shownLocation, type Appearance } from './connect-location.ts';
import { PageLinks } from './page-links.ts';

/** The response of a back end; of an HTML page, the links stay within the proxy. Pages in an encoding other than gzip stay as they are. */
export function withShownLinks(answer: BackEndAnswer, appearance: Appearance): BackEndAnswer {
  const { headers, chunks } = answer;
  const { 'content-length': _, ...others } = headers;
  const [encoding = ''] = headers['content-encoding'] ?? [];
  const isPage = bareMediaType(headers['content-type']?.[0] ?? '').toLowerCase() === 'text/html';
  if (!isPage || headers['location'] !== undefined || (encoding !== '' && encoding !== 'gzip')) return answer;
  const shown = { hosts: appearance.hosts, base: escaped(appearance.base) };
  const moved = (page: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => withMovedLinks(page, (url) => shownLocation(url, shown));
  return { ...answer, headers: others, chunks: encoding === '' ? moved(chunks) : unpacked(chunks, moved) };
}

async function* withMovedLinks(page: AsyncIterable<Uint8Array>, move: (url: string) => string | undefined): AsyncIterable<Uint8Array> {
  const links = new PageLinks(move);
  for await (const chunk of page) {
    const text = links.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'));
    if (text !== '') yield Buffer.from(text, 'latin1');
  }
  const rest = links.end();
  if (rest !== '') yield Buffer.from(rest, 'latin1');
}

/** Throws `TransportFailure` where the page is not what its head says. */
async function* unpacked(page: AsyncIterable<Uint8Array>, change: (page: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    // Whoever reads the end of the pipeline hears of a failure in it.
    yield* pipeline(Readable.from(page), createGunzip(), change, createGzip(), () => {}) as unknown as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw cause instanceof TransportFailure ? cause : new TransportFailure('garbage', 'the page of a back end is not the gzip that its head says', { cause });
  }
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
