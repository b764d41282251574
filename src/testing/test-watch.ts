import { keepingAwake } from './keeping-awake.ts';
import type { TestJson } from './test-json.ts';

/** An open watch. */
export interface TestWatch {
  readonly headers: Readonly<Record<string, string>>;
  /** The next `count` events. Rejects when the stream ends before that. */
  next(count: number): Promise<readonly TestJson[]>;
  /** The next `count` lines of the stream, not parsed. */
  nextLines(count: number): Promise<readonly string[]>;
  /** Reads until the server ends the stream; resolves to the remaining events. */
  rest(): Promise<readonly TestJson[]>;
  stop(): Promise<void>;
}

/** Reads a stream of JSON documents, one per line. */
export function readEvents(headers: TestWatch['headers'], stream: AsyncIterable<Uint8Array>, stop: AbortController): TestWatch {
  const chunks = stream[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const lines: string[] = [];
  let tail = '';
  const readChunk = async (): Promise<boolean> => {
    const chunk = await keepingAwake(chunks.next());
    if (chunk.done === true) return false;
    const parts = (tail + decoder.decode(chunk.value, { stream: true })).split('\n');
    tail = parts.pop() ?? '';
    lines.push(...parts.filter((line) => line !== ''));
    return true;
  };
  const nextLines = async (count: number): Promise<readonly string[]> => {
    while (lines.length < count) {
      if (!(await readChunk())) throw new Error(`the watch ended after ${lines.length} of ${count} events`);
    }
    return lines.splice(0, count);
  };
  const parse = (texts: readonly string[]): readonly TestJson[] => texts.map((line) => JSON.parse(line) as unknown);
  return {
    headers,
    nextLines,
    next: async (count) => parse(await nextLines(count)),
    async rest() {
      while (await readChunk());
      return parse(lines.splice(0));
    },
    async stop() {
      stop.abort();
      await chunks.return?.().catch(() => undefined);
    },
  };
}
