import { isJsonObject } from '#base';
import { apiVersionOf, type ApiObject } from '#api';
import { TransportFailure } from '#transport';
import { collectionPath, queryOf, type ApiResource } from './api-resource.ts';
import type { Caller } from './call.ts';
import { Slots } from './slots.ts';

/** Which objects to list, and how current the list must be. */
export interface ListOptions {
  /** Absent: of all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** `'0'`: any version the server has cached. Absent: the most recent. */
  readonly resourceVersion?: string;
  /** Objects per page. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** A list with all its pages. */
export interface List<T> {
  readonly items: readonly T[];
  /** From where a watch can continue. */
  readonly resourceVersion: string;
}

/** How lists are read. Large pages are faster, and each is in memory as a whole. */
export interface Paging {
  /** Objects per page, where a call sets no `limit`. Default 500. */
  readonly size?: number;
  /** Pages requested concurrently, over all lists; further requests wait. One that is not answered for long does not count. Default: unbounded. */
  readonly atOnce?: number;
}

/** Asks for pages of lists, no more of them at a time than `Paging` says. */
export class PageReader {
  readonly size: number;
  readonly #caller: Caller;
  readonly #slots: Slots;

  constructor(caller: Caller, { size = 500, atOnce = Infinity }: Paging = {}) {
    this.size = size;
    this.#caller = caller;
    this.#slots = new Slots(atOnce);
  }

  read(...request: Parameters<Caller['ask']>): Promise<unknown> {
    return this.#slots.run(() => this.#caller.ask(...request));
  }
}

/** The pages of a list, to the last one. */
export async function* readPages<T extends ApiObject>(
  reader: PageReader,
  resource: ApiResource,
  options: ListOptions,
  headers: Readonly<Record<string, string>>,
): AsyncGenerator<List<T>> {
  const { namespace, labelSelector, fieldSelector, resourceVersion, limit = reader.size, signal } = options;
  let next: string | undefined;
  do {
    // A continued list keeps the resourceVersion of its first page.
    const from = next === undefined ? resourceVersion : undefined;
    const query = queryOf({ labelSelector, fieldSelector, resourceVersion: from, limit, continue: next });
    const answer = await reader.read({ method: 'GET', path: collectionPath(resource, namespace) + query, headers, ...(signal === undefined ? {} : { signal }) });
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
    // Items of a list omit kind and apiVersion: they follow from the list's.
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
