import { apiVersionOf, resourceName } from '#client';
import { EXIT, type Command } from '../command.ts';
import { TableText } from '../output/table-text.ts';
import { SESSION_FLAGS } from '../session/flags.table.ts';
import { allResources } from '../session/resources.ts';
import { withSession } from '../session/session.ts';
import { UsageError } from '../usage-error.ts';

const COLUMNS = ['Name', 'ShortNames', 'APIVersion', 'Namespaced', 'Kind', 'Verbs'];

export const apiResources: Command = {
  usage: 'orch api-resources [flags]',
  description: 'Lists the resources a server has.',
  flags: [
    { name: 'output', short: 'o', type: 'string', choices: ['table', 'wide', 'name'], default: 'table', help: 'How to show them; wide adds the verbs.' },
    ...SESSION_FLAGS,
  ],
  examples: ['orch api-resources', 'orch api-resources -o name'],
  async run([word], flags, terminal) {
    if (word !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(word)}`);
    return withSession(flags, terminal, async ({ client }) => {
      const resources = await allResources(client);
      if (flags.text('output') === 'name') {
        terminal.out(resources.map((resource) => `${resourceName(resource)}\n`).join(''));
        return EXIT.ok;
      }
      const rows = resources.map((one) => ({
        cells: [one.plural, one.shortNames?.join(',') ?? '', apiVersionOf(one), one.isNamespaced, one.kind, one.verbs.join(',')],
      }));
      const columnDefinitions = COLUMNS.map((name) => ({ name, priority: name === 'Verbs' ? 1 : 0 }));
      const text = new TableText({ isWide: flags.text('output') === 'wide', hasNamespaces: false, hasColour: terminal.hasColour.out });
      terminal.out(text.format([{ columnDefinitions, rows }]));
      return EXIT.ok;
    });
  },
};
