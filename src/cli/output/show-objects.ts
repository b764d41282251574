import { isJsonObject, listAt, textAt, type JsonObject } from '#base';
import { apiVersionOf, objectPath, type ApiResource } from '#client';
import type { ApiError } from '#errors';
import { listPages } from '../session/list-pages.ts';
import type { Named } from '../session/name-objects.ts';
import { spokenName } from '../session/resources.ts';
import { JSON_FORM, orRefusal, selectionOf, withoutRefusals, type GetRequest } from './get-request.ts';
import { objectText, withoutManagedFields, type ObjectFormat } from './object-text.ts';

/** Prints the objects as JSON or YAML: one object that was asked for by name on its own, everything else as a List. */
export async function showObjects(request: GetRequest, format: ObjectFormat): Promise<void> {
  const items = withoutRefusals(request, (await Promise.all(request.targets.map((target) => objectsOf(request, target)))).flat()).flat();
  const shown = items.map((item) => (request.hasManagedFields ? item : withoutManagedFields(item)));
  const isOne = request.targets.length === 1 && request.targets[0]?.names.length === 1;
  if (shown.length === 0 && request.refusals.length > 0) return;
  if (!isOne) request.terminal.out(objectText({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: shown }, format));
  else if (shown.length > 0) request.terminal.out(objectText(shown[0], format));
}

/** Prints lines of the form `configmap/settings`. */
export async function showNames(request: GetRequest): Promise<void> {
  for (const target of request.targets) {
    const items = withoutRefusals(request, await objectsOf(request, target)).flat();
    request.terminal.out(items.map((item) => `${nameLine(target.resource, item)}\n`).join(''));
  }
}

export const nameLine = (resource: ApiResource, object: unknown): string => `${spokenName(resource)}/${textAt(object, 'metadata', 'name')}`;

/** The objects of a list, each with the `apiVersion` and `kind` that items of a list do not have. */
export function itemsOf(pages: readonly unknown[], resource: ApiResource): readonly Readonly<JsonObject>[] {
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return pages.flatMap((page) => listAt(page, 'items')).filter(isJsonObject).map((item) => ({ ...type, ...item }));
}

/** The objects of the list, or those with the names one by one. */
function objectsOf(request: GetRequest, { resource, names }: Named): Promise<readonly (readonly Readonly<JsonObject>[] | ApiError | undefined)[]> {
  const { client } = request.session;
  const asked =
    names.length === 0
      ? [async () => itemsOf(await listPages(client, selectionOf(request, resource, JSON_FORM)), resource)]
      : names.map((name) => async () => [await client.ask({ method: 'GET', path: objectPath(resource, request.namespace ?? '', name) })].filter(isJsonObject));
  return Promise.all(asked.map((ask) => orRefusal<readonly Readonly<JsonObject>[]>(request, ask)));
}
