import { TransportFailure } from './failure.ts';

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Splits the chunks of one stream into lines. */
export class LineSplitter {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** The lines that end in the next chunk, without empty ones; to be read to the end. Throws `TransportFailure` for a line that is too long. */
  *split(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, at);
      const line = this.#pieces.length === 0 ? end : Buffer.concat([...this.#pieces, end]);
      this.#pieces = [];
      this.#bytes = 0;
      from = at + 1;
      if (line.length > 0) yield line;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
    this.#bytes += chunk.length - from;
    if (this.#bytes > MAX_LINE_BYTES) throw new TransportFailure('too-large', `the server sent a line of more than ${MAX_LINE_BYTES} bytes`);
  }
}

/** Splits a stream into lines and parses each. An incomplete last line is dropped. Throws `TransportFailure` for a line that is too long. */
export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>, parse: (line: Uint8Array) => unknown): AsyncGenerator<unknown> {
  const lines = new LineSplitter();
  for await (const chunk of chunks) for (const line of lines.split(chunk)) yield parse(line);
}
