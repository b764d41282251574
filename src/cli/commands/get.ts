import { objectPath } from '#client';
import { EXIT, type Command } from '../command.ts';
import { tellFailure } from '../explain-failure.ts';
import { NAMESPACE_FLAG, SELECTOR_FLAG, SESSION_FLAGS } from '../session/flags.table.ts';
import { nameObjects } from '../session/name-objects.ts';
import { withSession } from '../session/session.ts';
import { UsageError } from '../usage-error.ts';
import { followObjects, followTable } from '../output/follow.ts';
import type { GetRequest } from '../output/get-request.ts';
import { showNames, showObjects } from '../output/show-objects.ts';
import { showTables } from '../output/show-tables.ts';

const OUTPUTS = ['table', 'wide', 'json', 'yaml', 'name'] as const;

export const get: Command = {
  usage: 'orch get <resource>[,<resource>...] [name...] | <resource>/<name>... [flags]',
  description: 'Shows objects. Resources go by their plural, singular or short name, with .group behind it where that matters.',
  flags: [
    NAMESPACE_FLAG,
    { name: 'all-namespaces', short: 'A', type: 'boolean', default: false, help: 'Objects of all namespaces.' },
    { name: 'output', short: 'o', type: 'string', choices: OUTPUTS, default: 'table', help: 'How to show them.' },
    SELECTOR_FLAG,
    { name: 'field-selector', type: 'string', value: 'fields', help: 'Only objects with these fields, such as metadata.name=web.' },
    { name: 'watch', short: 'w', type: 'boolean', default: false, help: 'Go on and show every change, until Ctrl-C.' },
    { name: 'show-managed-fields', type: 'boolean', default: false, help: 'Also who owns which field, in json and yaml.' },
    { name: 'ignore-not-found', type: 'boolean', default: false, help: 'Objects that are not there are no error; --watch waits for them.' },
    ...SESSION_FLAGS,
  ],
  examples: [
    'orch get namespaces',
    'orch get cm settings -o yaml',
    'orch get deployments,secrets -A -o wide',
    'orch get deployments.apps -l app=web --watch',
  ],
  run: (words, flags, terminal) =>
    withSession(flags, terminal, async (session) => {
      const targets = await nameObjects(session.client, words);
      const isEverywhere = flags.isOn('all-namespaces');
      if (isEverywhere && targets.some(({ names }) => names.length > 0)) throw new UsageError('objects of all namespaces have no one name: leave out -A or the name');
      const isSelected = flags.text('selector') !== undefined || flags.text('field-selector') !== undefined;
      if (isSelected && targets.some(({ names }) => names.length > 0)) throw new UsageError('give names, or -l or --field-selector, not both');
      const request: GetRequest = {
        session,
        terminal,
        targets,
        namespace: isEverywhere ? undefined : session.namespace,
        labelSelector: flags.text('selector'),
        fieldSelector: flags.text('field-selector'),
        output: flags.text('output') as GetRequest['output'],
        hasManagedFields: flags.isOn('show-managed-fields'),
        isAbsenceFine: flags.isOn('ignore-not-found'),
        refusals: [],
      };
      await (flags.isOn('watch') ? follow(request) : show(request));
      for (const refusal of request.refusals) tellFailure(terminal, refusal);
      return request.refusals.length === 0 ? EXIT.ok : EXIT.failed;
    }),
};

async function show(request: GetRequest): Promise<void> {
  if (request.output === 'name') return showNames(request);
  return request.output === 'json' || request.output === 'yaml' ? showObjects(request, request.output) : showTables(request);
}

async function follow(request: GetRequest): Promise<void> {
  const [target, ...others] = request.targets;
  if (target === undefined || others.length > 0 || target.names.length > 1) throw new UsageError('--watch follows one resource, or one object of it');
  const [name] = target.names;
  // A name that is not there would be waited for in silence.
  if (name !== undefined && !request.isAbsenceFine) await request.session.client.ask({ method: 'GET', path: objectPath(target.resource, request.namespace ?? '', name) });
  return request.output === 'table' || request.output === 'wide' ? followTable(request, target) : followObjects(request, target);
}
