import { textAt } from './json-value.ts';
import { queryOf } from './paths.ts';
import type { Session } from './session.ts';

/** Which objects, and in which form. */
export interface Selection {
  readonly path: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly accept: string;
}

const PAGE = '500';

/** The pages of a list, to the last one. */
export async function listPages(session: Session, { path, accept, labelSelector, fieldSelector }: Selection): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  let next: string | undefined;
  do {
    const query = queryOf({ labelSelector, fieldSelector, limit: PAGE, continue: next });
    const { value } = await session.ask({ method: 'GET', path: path + query, headers: { accept } });
    pages.push(value);
    next = textAt(value, 'metadata', 'continue') || undefined;
  } while (next !== undefined);
  return pages;
}
