import { textAt } from '#base';
import { EXIT, type Command } from '../command.ts';
import { ownVersion } from '../own-version.ts';
import { SESSION_FLAGS } from '../session/flags.table.ts';
import { withSession } from '../session/session.ts';
import { UsageError } from '../usage-error.ts';

export const version: Command = {
  usage: 'orch version [flags]',
  description: 'Shows the version of this program and that of the API a server speaks.',
  flags: [{ name: 'client', type: 'boolean', default: false, help: 'Only that of this program; asks no server.' }, ...SESSION_FLAGS],
  examples: ['orch version', 'orch version --client'],
  async run([word], flags, terminal) {
    if (word !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(word)}`);
    terminal.out(`orch ${await ownVersion()} (node ${process.versions.node})\n`);
    if (flags.isOn('client')) return EXIT.ok;
    return withSession(flags, terminal, async ({ client, origin }) => {
      const value = await client.ask({ method: 'GET', path: '/version' });
      terminal.out(`server ${textAt(value, 'gitVersion')} at ${origin}\n`);
      return EXIT.ok;
    });
  },
};
