import { checkBackup, checkStore, type CheckResult } from '#server';
import { EXIT, type Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { showProgress } from '../maintenance/show-progress.ts';
import { showWait } from '../maintenance/show-wait.ts';
import { givenStore, STORE_FLAGS } from '../maintenance/store-flags.ts';

export const check: Command = {
  usage: 'orch check [<file>] [flags]',
  description: 'Reads all that a store holds, or a backup, and says what contradicts itself. Its server may be running. Exit code 1: something is wrong.',
  flags: STORE_FLAGS,
  examples: ['orch check', 'orch check --data-dir=/var/lib/orch', 'orch check monday.backup'],
  async run([file, ...rest], flags, terminal) {
    if (file === '') throw new UsageError('the name of the backup is empty: give one, or none to check a store');
    if (rest[0] !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(rest[0])}`);
    const progress = showProgress(terminal, 'checking');
    const place = file ?? givenStore(flags, 'check');
    const checked = file === undefined ? await checkStore(place, progress, showWait(terminal)) : await checkBackup(place, progress);
    terminal.out(told(place, checked));
    return checked.problemCount === 0 ? EXIT.ok : EXIT.failed;
  },
};

function told(what: string, { revision, count, problems, problemCount }: CheckResult): string {
  const summary = `${what}: ${count} entries as of revision ${revision}`;
  if (problemCount === 0) return `${summary}, nothing is wrong\n`;
  const more = problemCount > problems.length ? [`… and ${problemCount - problems.length} more`] : [];
  return [`${summary}, ${problemCount} ${problemCount === 1 ? 'thing is' : 'things are'} wrong:`, ...problems, ...more, ''].join('\n');
}
