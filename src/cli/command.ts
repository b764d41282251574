import type { CommandFlag } from './flag.ts';
import type { FlagValues } from './parse-flags.ts';
import type { Terminal } from './terminal.ts';

/** One command of the program: its help and its implementation. */
export interface Command {
  readonly usage: string;
  readonly description: string;
  readonly flags: readonly CommandFlag[];
  /** Where the help has sections: their titles, and the section of a flag. */
  readonly groups?: { readonly titles: readonly string[]; of(flag: CommandFlag): string };
  readonly examples: readonly string[];
  /** Resolves to the exit code. Throws `UsageError` for wrong arguments. */
  run(words: readonly string[], flags: FlagValues, terminal: Terminal): Promise<number>;
}

/** Exit codes that scripts can rely on: success, failure, wrong usage. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
