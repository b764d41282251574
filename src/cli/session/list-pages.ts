import { textAt } from '#base';
import { queryOf, type Client } from '#client';

/** A collection, filtered by selectors, and the requested representation. */
export interface Selection {
  readonly path: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly accept: string;
}

const PAGE = '500';

/** All pages of a list. */
export async function listPages(client: Client, { path, accept, labelSelector, fieldSelector }: Selection): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  let next: string | undefined;
  do {
    const query = queryOf({ labelSelector, fieldSelector, limit: PAGE, continue: next });
    const page = await client.ask({ method: 'GET', path: path + query, headers: { accept } });
    pages.push(page);
    next = textAt(page, 'metadata', 'continue') || undefined;
  } while (next !== undefined);
  return pages;
}
