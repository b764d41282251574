import type { Received } from './context.ts';

/** What people use by hand, as it names itself. */
const BY_HAND = ['curl', 'Wget', 'Mozilla/5.0'];
const YES: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Whether JSON is to be printed over several lines: the `pretty` parameter says, else who asks. @spec 4.3 */
export function wantsPretty({ query, headers }: Pick<Received, 'query' | 'headers'>): boolean {
  const asked = query.get('pretty');
  if (asked !== null && asked !== '') return YES.has(asked);
  const agent = headers.get('user-agent')?.[0] ?? '';
  return BY_HAND.some((name) => agent.startsWith(name));
}
