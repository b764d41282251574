import { goBool } from '#base';
import type { Received } from './context.ts';

/** How the user agents of clients that people use by hand begin. */
const BY_HAND = ['curl', 'Wget', 'Mozilla/5.0'];

/** Whether to indent JSON: as the `pretty` parameter says, else by the user agent. @spec 4.3 */
export function wantsPretty({ query, headers }: Pick<Received, 'query' | 'headers'>): boolean {
  const asked = query.get('pretty');
  if (asked !== null && asked !== '') return goBool(asked) === true;
  const agent = headers.get('user-agent')?.[0] ?? '';
  return BY_HAND.some((name) => agent.startsWith(name));
}
