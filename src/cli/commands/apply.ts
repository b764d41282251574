import { objectPath, queryOf } from '#client';
import { jsonText } from '#base';
import { UsageError } from '../usage-error.ts';
import type { Command } from '../command.ts';
import { eachManifest, type Act } from '../manifests/each-manifest.ts';
import { FIELD_MANAGER } from '../manifests/field-manager.ts';
import { DRY_RUN_FLAG, FILE_FLAG, NAMESPACE_FLAG, SESSION_FLAGS } from '../session/flags.table.ts';
import { spokenName } from '../session/resources.ts';

export const apply: Command = {
  usage: 'orch apply -f <file|folder|-> [flags]',
  description: 'Makes objects be as files say, by server-side apply: what is missing is made, fields that were taken out of a file go away.',
  flags: [
    FILE_FLAG,
    NAMESPACE_FLAG,
    { name: 'force-conflicts', type: 'boolean', default: false, help: 'Take over fields that others have set.' },
    { name: 'field-manager', type: 'string', default: FIELD_MANAGER, value: 'name', help: 'Who owns the fields from now on.' },
    DRY_RUN_FLAG,
    ...SESSION_FLAGS,
  ],
  examples: ['orch apply -f app.yaml', 'orch apply -f ./manifests -n staging', 'cat app.yaml | orch apply -f - --dry-run'],
  async run([word], flags, terminal) {
    if (word !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(word)}: files are given with -f`);
    const isDryRun = flags.isOn('dry-run');
    const query = queryOf({
      fieldManager: flags.text('field-manager'),
      force: flags.isOn('force-conflicts'),
      dryRun: isDryRun ? 'All' : undefined,
    });
    const applyOne: Act = async ({ client }, { resource, placedIn, name, object }) => {
      if (name === '') throw new UsageError('metadata.name is missing: apply needs it; orch create makes objects with generateName');
      const { status } = await client.answer({
        method: 'PATCH',
        path: objectPath(resource, placedIn, name) + query,
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: jsonText(object),
      });
      return `${spokenName(resource)}/${name} ${status === 201 ? 'created' : 'applied'}${isDryRun ? ' (dry run)' : ''}`;
    };
    return eachManifest(flags, terminal, applyOne, { isMaking: !isDryRun });
  },
};
