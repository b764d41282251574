/** Where a command speaks, and what it is told by its surroundings. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Everything that is piped in. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Aborted when nobody reads `out` any more. */
  readonly outClosed: AbortSignal;
  /** Whether the output is shown to a person who sees colours. */
  readonly hasColour: { readonly out: boolean; readonly err: boolean };
}

export type Colour = 'bold' | 'red';

const CODES: Readonly<Record<Colour, string>> = { bold: '\u001b[1m', red: '\u001b[31m' };

export const paint = (text: string, colour: Colour, hasColour: boolean): string => (hasColour ? `${CODES[colour]}${text}\u001b[0m` : text);

/** The terminal of this process. A reader that went away ends nothing by itself: commands look at `outClosed`. */
export function processTerminal(): Terminal {
  const gone = new AbortController();
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => gone.abort(cause));
  process.stderr.on('error', () => {});
  const isPlain = (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb';
  return {
    out: (text) => void (gone.signal.aborted || process.stdout.write(text)),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    readInput: readStandardInput,
    outClosed: gone.signal,
    hasColour: { out: process.stdout.isTTY && !isPlain, err: process.stderr.isTTY && !isPlain },
  };
}

async function readStandardInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
