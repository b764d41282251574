import { listAt } from '#base';
import { objectPath, type ApiResource } from '#client';
import type { Named } from '../session/name-objects.ts';
import { listPages } from '../session/list-pages.ts';
import { orRefusal, selectionOf, TABLE_FORM, tellNothingFound, withoutRefusals, type GetRequest } from './get-request.ts';
import { TableText } from './table-text.ts';

/** Prints one table per resource, with the columns of the server. */
export async function showTables(request: GetRequest): Promise<void> {
  const texts: string[] = [];
  for (const target of request.targets) {
    const text = tableTextFor(request, target.resource).format(await tablesOf(request, target));
    if (text !== '') texts.push(text);
  }
  request.terminal.out(texts.join('\n'));
  if (texts.length === 0 && request.refusals.length === 0 && !request.isAbsenceFine) tellNothingFound(request, request.targets.map(({ resource }) => resource));
}

export const tableTextFor = (request: GetRequest, resource: ApiResource): TableText =>
  new TableText({
    isWide: request.output === 'wide',
    hasNamespaces: request.namespace === undefined && resource.isNamespaced,
    hasColour: request.terminal.hasColour.out,
  });

async function tablesOf(request: GetRequest, { resource, names }: Named): Promise<readonly unknown[]> {
  if (names.length === 0) return withoutRefusals(request, [await orRefusal(request, () => listPages(request.session.client, selectionOf(request, resource, TABLE_FORM)))]).flat();
  const namespace = request.namespace ?? '';
  const tables = await Promise.all(
    names.map((name) =>
      orRefusal(request, () => request.session.client.ask({ method: 'GET', path: objectPath(resource, namespace, name), headers: { accept: TABLE_FORM } })),
    ),
  );
  return withoutRefusals(request, tables).filter((table) => listAt(table, 'rows').length > 0);
}
