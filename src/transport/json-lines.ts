import { TransportFailure } from './failure.ts';

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Splits a stream into lines and parses each. An incomplete last line is dropped. Throws `TransportFailure` for a line that is too long. */
export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>, parse: (line: Uint8Array) => unknown): AsyncGenerator<unknown> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at);
      const line = pieces.length === 0 ? end : Buffer.concat([...pieces, end]);
      pieces = [];
      bytes = 0;
      from = at + 1;
      if (line.length > 0) yield parse(line);
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > MAX_LINE_BYTES) throw new TransportFailure('too-large', `the server sent a line of more than ${MAX_LINE_BYTES} bytes`);
  }
}
