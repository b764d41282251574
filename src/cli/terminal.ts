import { setImmediate } from '#base';

/** The input, output and environment of a command. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Aborts when `out` cannot be written any more. */
  readonly outClosed: AbortSignal;
  /** Why output was lost; undefined: everything was written, or the reader closed the pipe. */
  readonly outFailure: () => Promise<Error | undefined>;
  /** Whether each stream is a terminal with colours. */
  readonly hasColour: { readonly out: boolean; readonly err: boolean };
}

export type Colour = 'bold' | 'red';

const CODES: Readonly<Record<Colour, string>> = { bold: '\u001b[1m', red: '\u001b[31m' };

export const paint = (text: string, colour: Colour, hasColour: boolean): string => (hasColour ? `${CODES[colour]}${text}\u001b[0m` : text);

/** The terminal of this process. A closed output pipe does not end the process: commands watch `outClosed`. */
export function processTerminal(): Terminal {
  const gone = new AbortController();
  let failure: Error | undefined;
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EPIPE') failure ??= cause;
    gone.abort(cause);
  });
  process.stderr.on('error', () => {});
  const isPlain = (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb';
  return {
    out: (text) => void (gone.signal.aborted || process.stdout.write(text)),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    readInput: readStandardInput,
    outClosed: gone.signal,
    outFailure: () => new Promise((resolve) => setImmediate(() => resolve(failure))),
    hasColour: { out: process.stdout.isTTY && !isPlain, err: process.stderr.isTTY && !isPlain },
  };
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
