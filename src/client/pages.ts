import { isJsonObject } from '#base';
import type { ApiObject } from '#api';
import { TransportFailure } from '#transport';
import { apiVersionOf, collectionPath, queryOf, type ApiResource } from './api-resource.ts';
import type { Caller } from './call.ts';

export interface ListOptions {
  /** Absent: of all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** `'0'`: whatever the server has at hand. Absent: the newest. */
  readonly resourceVersion?: string;
  /** Objects of a page. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface List<T> {
  readonly items: readonly T[];
  /** Where a watch can take up. */
  readonly resourceVersion: string;
}

const PAGE = 500;

/** The pages of a list, to the last one. */
export async function* readPages<T extends ApiObject>(
  caller: Caller,
  resource: ApiResource,
  options: ListOptions,
  headers: Readonly<Record<string, string>>,
): AsyncGenerator<List<T>> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, limit = PAGE, signal } = options;
  let next: string | undefined;
  do {
    // A continued list keeps the moment of its first page.
    const from = next === undefined ? resourceVersion : undefined;
    const query = queryOf({ labelSelector, fieldSelector, resourceVersion: from, limit, continue: next });
    const answer = await caller.ask({ method: 'GET', path: collectionPath(resource, namespace) + query, headers, ...(signal === undefined ? {} : { signal }) });
    const list = readList<T>(answer, resource);
    yield list;
    next = list.continue;
  } while (next !== undefined);
}

function readList<T extends ApiObject>(answer: unknown, resource: ApiResource): List<T> & { readonly continue: string | undefined } {
  const { metadata, items } = isJsonObject(answer) ? answer : {};
  const { resourceVersion } = isJsonObject(metadata) ? metadata : {};
  if (!Array.isArray(items ?? []) || typeof resourceVersion !== 'string') {
    throw new TransportFailure('configuration', `the server answered a list of ${resource.plural} with something else: is it an API server?`);
  }
  const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return {
    // Items of lists do not say what they are: the list does.
    items: ((items ?? []) as T[]).map((item) => (item.kind === undefined ? { ...head, ...item } : item)),
    resourceVersion,
    continue: continueOf(answer),
  };
}

/** Where the next page begins; undefined: this was the last. */
export function continueOf(answer: unknown): string | undefined {
  const { metadata } = isJsonObject(answer) ? answer : {};
  const next = isJsonObject(metadata) ? metadata['continue'] : undefined;
  return typeof next === 'string' && next !== '' ? next : undefined;
}
