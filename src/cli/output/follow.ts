import { isJsonObject, textAt } from '#base';
import { listPages, type Selection } from '../session/list-pages.ts';
import type { Named } from '../session/name-objects.ts';
import { watchEvents } from '../session/watch-events.ts';
import { JSON_FORM, selectionOf, TABLE_FORM, type GetRequest } from './get-request.ts';
import { objectText, withoutManagedFields } from './object-text.ts';
import { itemsOf, nameLine } from './show-objects.ts';
import { tableTextFor } from './show-tables.ts';

/** Prints the listed objects as a table, then a row for every watch event. Ends when the output is closed. */
export async function followTable(request: GetRequest, target: Named): Promise<void> {
  const { session, terminal } = request;
  const selection = withName(selectionOf(request, target.resource, TABLE_FORM), target);
  const pages = await listPages(session.client, selection);
  const text = tableTextFor(request, target.resource);
  terminal.out(text.format(pages));
  for await (const { object } of watchEvents(session.client, selection, startOf(pages), terminal.outClosed)) terminal.out(text.format([object]));
}

/** Like `followTable`, with whole objects or names. */
export async function followObjects(request: GetRequest, target: Named): Promise<void> {
  const { session, terminal } = request;
  const selection = withName(selectionOf(request, target.resource, JSON_FORM), target);
  const pages = await listPages(session.client, selection);
  const show = (object: unknown): void => terminal.out(changeText(request, target, object));
  for (const item of itemsOf(pages, target.resource)) show(item);
  for await (const { object } of watchEvents(session.client, selection, startOf(pages), terminal.outClosed)) show(object);
}

function changeText({ output, hasManagedFields }: GetRequest, { resource }: Named, object: unknown): string {
  if (output === 'name' || !isJsonObject(object)) return `${nameLine(resource, object)}\n`;
  const shown = hasManagedFields ? object : withoutManagedFields(object);
  return output === 'yaml' ? `---\n${objectText(shown, 'yaml')}` : objectText(shown, 'json');
}

const startOf = (pages: readonly unknown[]): string => textAt(pages[0], 'metadata', 'resourceVersion');

/** Selects a single object by field selector, as lists and watches require. */
function withName(selection: Selection, { names: [name] }: Named): Selection {
  return name === undefined ? selection : { ...selection, fieldSelector: `metadata.name=${name}` };
}
