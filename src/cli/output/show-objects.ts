import { isJsonObject, listAt, textAt, type JsonObject } from '#base';
import { apiVersionOf, objectPath, type ApiResource } from '#client';
import { listPages } from '../session/list-pages.ts';
import type { Named } from '../session/name-objects.ts';
import { spokenName } from '../session/resources.ts';
import { JSON_FORM, orAbsent, selectionOf, type GetRequest } from './get-request.ts';
import { objectText, withoutManagedFields, type ObjectFormat } from './object-text.ts';

/** Prints the objects as JSON or YAML: one object that was asked for by name on its own, everything else as a List. */
export async function showObjects(request: GetRequest, format: ObjectFormat): Promise<void> {
  const items = (await Promise.all(request.targets.map((target) => objectsOf(request, target)))).flat();
  const shown = items.map((item) => (request.hasManagedFields ? item : withoutManagedFields(item)));
  const isOne = request.targets.length === 1 && request.targets[0]?.names.length === 1;
  if (!isOne) request.terminal.out(objectText({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: shown }, format));
  else if (shown.length > 0) request.terminal.out(objectText(shown[0], format));
}

/** Prints lines of the form `configmap/settings`. */
export async function showNames(request: GetRequest): Promise<void> {
  for (const target of request.targets) {
    const items = await objectsOf(request, target);
    request.terminal.out(items.map((item) => `${nameLine(target.resource, item)}\n`).join(''));
  }
}

export const nameLine = (resource: ApiResource, object: unknown): string => `${spokenName(resource)}/${textAt(object, 'metadata', 'name')}`;

/** The objects of a list, each with the `apiVersion` and `kind` that items of a list do not have. */
export function itemsOf(pages: readonly unknown[], resource: ApiResource): readonly Readonly<JsonObject>[] {
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return pages.flatMap((page) => listAt(page, 'items')).filter(isJsonObject).map((item) => ({ ...type, ...item }));
}

async function objectsOf(request: GetRequest, { resource, names }: Named): Promise<readonly Readonly<JsonObject>[]> {
  if (names.length === 0) {
    return itemsOf(await listPages(request.session.client, selectionOf(request, resource, JSON_FORM)), resource);
  }
  const namespace = request.namespace ?? '';
  const objects = await Promise.all(
    names.map((name) => orAbsent(request, () => request.session.client.ask({ method: 'GET', path: objectPath(resource, namespace, name) }))),
  );
  return objects.filter(isJsonObject);
}
