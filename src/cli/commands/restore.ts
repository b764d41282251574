import { BUMP, restore } from '#server';
import { EXIT, type Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { showProgress } from '../maintenance/show-progress.ts';
import { checkBackupDialect, givenStore, STORE_FLAGS } from '../maintenance/store-flags.ts';
import { untilStopped } from '../maintenance/until-stopped.ts';

export const restoreStore: Command = {
  usage: 'orch restore <file> [flags]',
  description: 'Makes a store from a backup, for a server that is started on it then. The folder of the store must be empty or missing.',
  flags: [
    ...STORE_FLAGS,
    {
      name: 'bump-revision',
      type: 'number',
      default: BUMP,
      max: 1_000_000_000_000,
      help: 'How far revisions jump ahead, so that none which was given out after the backup comes again and clients read anew.',
    },
  ],
  examples: ['orch restore monday.backup --data-dir=/var/lib/orch', 'orch restore monday.backup --store=sqlite:///var/lib/orch/store'],
  async run([file, ...rest], flags, terminal) {
    if (file === undefined || file === '') throw new UsageError('say which backup: orch restore <file>');
    if (rest[0] !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(rest[0])}`);
    return untilStopped(async (stop) => {
      const bump = flags.number('bump-revision') ?? BUMP;
      const store = givenStore(flags, 'restore');
      await checkBackupDialect(file, flags);
      const { path, revision, count } = await restore(file, store, bump, showProgress(terminal, 'restoring'), stop);
      terminal.out(`${path}: ${count} entries, goes on from revision ${revision}\n`);
      return EXIT.ok;
    });
  },
};
