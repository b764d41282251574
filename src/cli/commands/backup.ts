import { systemClock } from '#base';
import { backUp } from '#server';
import { EXIT, type Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { showProgress } from '../maintenance/show-progress.ts';
import { showWait } from '../maintenance/show-wait.ts';
import { givenStore, STORE_FLAGS } from '../maintenance/store-flags.ts';
import { untilStopped } from '../maintenance/until-stopped.ts';

export const backup: Command = {
  usage: 'orch backup <file|folder> [flags]',
  description: 'Copies all objects of a store, as of one moment, to a new file. Its server may be running. Whoever has the file can read every Secret that is not encrypted in the store.',
  flags: STORE_FLAGS,
  examples: ['orch backup monday.backup', 'orch backup /var/backups/ --data-dir=/var/lib/orch'],
  async run([target, ...rest], flags, terminal) {
    if (target === undefined || target === '') throw new UsageError('say where the backup goes: orch backup <file|folder>');
    if (target === '-') throw new UsageError('a backup goes to a file or a folder, where it is whole or not at all, and not to standard output');
    if (rest[0] !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(rest[0])}`);
    return untilStopped(async (stop) => {
      const { path, revision, count } = await backUp(givenStore(flags, 'back up'), target, systemClock.nowMs(), showProgress(terminal, 'backing up'), stop, showWait(terminal));
      terminal.out(`${path}: ${count} entries as of revision ${revision}\n`);
      return EXIT.ok;
    });
  },
};
