import { listAt, textAt } from '#base';
import { collectionPath, objectPath, queryOf, type ApiResource, type Client } from '#client';
import { ApiError, isRefusal } from '#errors';
import { EXIT, type Command } from '../command.ts';
import { tellFailure } from '../explain-failure.ts';
import { eachManifest } from '../manifests/each-manifest.ts';
import { fateOf } from '../output/fate-of.ts';
import type { FlagValues } from '../parse-flags.ts';
import { DRY_RUN_FLAG, FILE_FLAG, NAMESPACE_FLAG, SELECTOR_FLAG, SESSION_FLAGS } from '../session/flags.table.ts';
import { checkedName } from '../session/checked-name.ts';
import { nameObjects, type Named } from '../session/name-objects.ts';
import { spokenName } from '../session/resources.ts';
import { withSession, type Session } from '../session/session.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** `propagationPolicy` by value of `--cascade`. */
const PROPAGATION: Readonly<Record<string, string>> = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' };

export const deleteObjects: Command = {
  usage: 'orch delete <resource> <name>... | <resource>/<name>... | <resource> -l <labels> | <resource> --all | -f <file> [flags]',
  description: 'Deletes objects. Does not wait for objects that finalizers or a grace period keep alive, but says so.',
  flags: [
    FILE_FLAG,
    NAMESPACE_FLAG,
    SELECTOR_FLAG,
    { name: 'all', type: 'boolean', default: false, help: 'Delete all objects of the resource in the namespace.' },
    { name: 'cascade', type: 'string', choices: Object.keys(PROPAGATION), help: 'What happens to objects that belong to the deleted ones. Default: per kind.' },
    { name: 'grace-period', type: 'number', value: 'seconds', help: 'How long the objects may go on. Default: their own choice.' },
    { name: 'ignore-not-found', type: 'boolean', default: false, help: 'Objects that are not there are no error.' },
    DRY_RUN_FLAG,
    ...SESSION_FLAGS,
  ],
  examples: ['orch delete configmap settings', 'orch delete deployment/web secret/web-tls -n staging', 'orch delete configmaps -l app=web', 'orch delete -f app.yaml'],
  async run(words, flags, terminal) {
    if (flags.list('filename').length > 0) {
      if (words.length > 0) throw new UsageError('give files with -f or a resource and names, not both');
      return eachManifest(flags, terminal, ({ client }, { resource, placedIn, name }) => deleteOne(client, resource, placedIn, checkedName(name), flags));
    }
    return withSession(flags, terminal, async (session) => {
      const targets = await Promise.all((await nameObjects(session.client, words)).map((named) => withNames(session, named, flags)));
      let exit: number = EXIT.ok;
      for (const { resource, names } of targets) {
        for (const name of names) exit = Math.max(exit, await orTell(terminal, () => deleteOne(session.client, resource, session.namespace, name, flags)));
      }
      return exit;
    });
  },
};

async function orTell(terminal: Terminal, act: () => Promise<string>): Promise<number> {
  try {
    terminal.out(`${await act()}\n`);
    return EXIT.ok;
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    tellFailure(terminal, cause);
    return EXIT.failed;
  }
}

/** Resolves a selector or `--all` to names, so that each deletion is reported. */
async function withNames({ client, namespace }: Session, { resource, names }: Named, flags: FlagValues): Promise<Named> {
  const labelSelector = flags.text('selector');
  const isMany = labelSelector !== undefined || flags.isOn('all');
  if (names.length > 0 && isMany) throw new UsageError('give names, or -l or --all, not both');
  if (names.length > 0) return { resource, names };
  if (!isMany) throw new UsageError(`which ${resource.plural}? Give names, -l <labels>, or --all`);
  const path = collectionPath(resource, namespace) + queryOf({ labelSelector });
  const list = await client.ask({ method: 'GET', path });
  return { resource, names: listAt(list, 'items').map((item) => textAt(item, 'metadata', 'name')) };
}

async function deleteOne(client: Client, resource: ApiResource, namespace: string, name: string, flags: FlagValues): Promise<string> {
  const spoken = `${spokenName(resource)}/${name}`;
  const cascade = flags.text('cascade');
  const grace = flags.number('grace-period');
  const options = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(cascade === undefined ? {} : { propagationPolicy: PROPAGATION[cascade] }),
    ...(flags.isOn('dry-run') ? { dryRun: ['All'] } : {}),
  };
  try {
    const answer = await client.ask({
      method: 'DELETE',
      path: objectPath(resource, namespace, name),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(options),
    });
    return `${spoken} ${fateOf(answer)}${flags.isOn('dry-run') ? ' (dry run)' : ''}`;
  } catch (cause) {
    if (flags.isOn('ignore-not-found') && isRefusal(cause, 'NotFound')) return `${spoken} was not there`;
    throw cause;
  }
}
