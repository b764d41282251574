import { collectionPath, type ApiResource } from '#client';
import { ApiError, isRefusal } from '#errors';
import type { Named } from '../session/name-objects.ts';
import type { Selection } from '../session/list-pages.ts';
import type { Session } from '../session/session.ts';
import type { Terminal } from '../terminal.ts';

/** The parsed arguments of `orch get`. */
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
  /** Whether a missing object is no error. */
  readonly isAbsenceFine: boolean;
  /** What the server refused, in order. The rest is shown. */
  readonly refusals: ApiError[];
}

export const JSON_FORM = 'application/json';

/** The `Accept` value for Tables: one clause for the group name of each dialect; a server takes the one it knows. */
export const TABLE_FORM = ['meta.orch.io', 'meta.k8s.io'].map((group) => `application/json;as=Table;g=${group};v=v1`).join(', ');

/** The collection of a resource, by namespace and selectors of the request. */
export const selectionOf = (request: GetRequest, resource: ApiResource, accept: string): Selection => ({
  path: collectionPath(resource, request.namespace),
  labelSelector: request.labelSelector,
  fieldSelector: request.fieldSelector,
  accept,
});

/** The result of `ask`, or its refusal; undefined where the object does not exist and that is no error. */
export async function orRefusal<T>({ isAbsenceFine }: GetRequest, ask: () => Promise<T>): Promise<T | ApiError | undefined> {
  try {
    return await ask();
  } catch (cause) {
    if (isAbsenceFine && isRefusal(cause, 'NotFound')) return undefined;
    if (cause instanceof ApiError) return cause;
    throw cause;
  }
}

/** The results among `answers`, in order. Refusals are kept in `refusals`. */
export function withoutRefusals<T>({ refusals }: GetRequest, answers: readonly (T | ApiError | undefined)[]): readonly T[] {
  return answers.filter((answer): answer is T => {
    if (answer instanceof ApiError) refusals.push(answer);
    return answer !== undefined && !(answer instanceof ApiError);
  });
}

/** Reports an empty result on standard error, so that scripts do not read it. */
export function tellNothingFound({ terminal, namespace }: GetRequest, resources: readonly ApiResource[]): void {
  const names = resources.map(({ plural }) => plural).join(', ');
  const isInside = namespace !== undefined && resources.some(({ isNamespaced }) => isNamespaced);
  terminal.err(`There are no ${names}${isInside ? ` in namespace ${namespace}` : ''}.\n`);
}
