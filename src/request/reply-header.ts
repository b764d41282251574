import type { Reply } from './context.ts';

/** A header of a response; of a repeated header, the first value. */
export function replyHeader({ headers }: Reply, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}
