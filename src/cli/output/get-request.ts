import { collectionPath, type ApiResource } from '#client';
import { isRefusal } from '#errors';
import type { Named } from '../session/name-objects.ts';
import type { Selection } from '../session/list-pages.ts';
import type { Session } from '../session/session.ts';
import type { Terminal } from '../terminal.ts';

/** Everything `orch get` was asked. */
export interface GetRequest {
  readonly session: Session;
  readonly terminal: Terminal;
  readonly targets: readonly Named[];
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
  readonly hasManagedFields: boolean;
  /** An object that is not there is no error. */
  readonly isAbsenceFine: boolean;
}

export const JSON_FORM = 'application/json';

/** Both dialects spell the group of tables their own way; a server takes the clause it understands. */
export const TABLE_FORM = ['meta.orch.io', 'meta.k8s.io'].map((group) => `application/json;as=Table;g=${group};v=v1`).join(', ');

/** The objects of a resource that were asked for, by selectors and namespace. */
export const selectionOf = (request: GetRequest, resource: ApiResource, accept: string): Selection => ({
  path: collectionPath(resource, request.namespace),
  labelSelector: request.labelSelector,
  fieldSelector: request.fieldSelector,
  accept,
});

/** undefined for an object that is not there, where that is fine. */
export async function orAbsent<T>({ isAbsenceFine }: GetRequest, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (cause) {
    if (isAbsenceFine && isRefusal(cause, 'NotFound')) return undefined;
    throw cause;
  }
}

/** What stands for an empty answer, on the side channel: scripts see nothing. */
export function tellNothingFound({ terminal, namespace }: GetRequest, resources: readonly ApiResource[]): void {
  const names = resources.map(({ plural }) => plural).join(', ');
  const isInside = namespace !== undefined && resources.some(({ isNamespaced }) => isNamespaced);
  terminal.err(`There are no ${names}${isInside ? ` in namespace ${namespace}` : ''}.\n`);
}
