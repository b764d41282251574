import { jsonText, textAt } from '#base';
import { collectionPath, queryOf } from '#client';
import type { Command } from '../command.ts';
import { eachManifest, type Act } from '../manifests/each-manifest.ts';
import { FIELD_MANAGER } from '../manifests/field-manager.ts';
import { DRY_RUN_FLAG, FILE_FLAG, NAMESPACE_FLAG, SESSION_FLAGS } from '../session/flags.table.ts';
import { spokenName } from '../session/resources.ts';
import { UsageError } from '../usage-error.ts';

export const create: Command = {
  usage: 'orch create -f <file|folder|-> [flags]',
  description: 'Makes the objects of files. Objects that exist already are errors; orch apply changes them.',
  flags: [FILE_FLAG, NAMESPACE_FLAG, DRY_RUN_FLAG, ...SESSION_FLAGS],
  examples: ['orch create -f job.yaml', 'orch create -f - -n staging < secret.yaml'],
  async run([word], flags, terminal) {
    if (word !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(word)}: objects are made from files, given with -f`);
    const isDryRun = flags.isOn('dry-run');
    const query = queryOf({ fieldManager: FIELD_MANAGER, dryRun: isDryRun ? 'All' : undefined });
    const createOne: Act = async ({ client }, { resource, placedIn, object }) => {
      const made = await client.ask({
        method: 'POST',
        path: collectionPath(resource, placedIn) + query,
        headers: { 'content-type': 'application/json' },
        body: jsonText(object),
      });
      return `${spokenName(resource)}/${textAt(made, 'metadata', 'name')} created${isDryRun ? ' (dry run)' : ''}`;
    };
    return eachManifest(flags, terminal, createOne, { isMaking: !isDryRun });
  },
};
