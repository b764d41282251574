import type { CommandFlag } from './flag.ts';
import type { FlagValues } from './parse-flags.ts';
import type { Terminal } from './terminal.ts';

/** One command of the program: what its help says, and what it does. */
export interface Command {
  readonly usage: string;
  readonly description: string;
  readonly flags: readonly CommandFlag[];
  /** Where the help has parts: their titles, and the one a flag stands in. */
  readonly groups?: { readonly titles: readonly string[]; of(flag: CommandFlag): string };
  readonly examples: readonly string[];
  /** Resolves to the exit code. Throws `UsageError` for mistakes of the caller. */
  run(words: readonly string[], flags: FlagValues, terminal: Terminal): Promise<number>;
}

/** Exit codes that scripts can rely on: done; tried and failed; asked for something that makes no sense. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
