import type { Brand } from '#api';
import { reaches, type Level } from './level.ts';

/** What webhooks wrote into objects: content, and so kept only where the content of requests is. */
const contentPrefix = (brand: Brand): string => `patch.webhook.${brand.group('admission')}/`;

/** What was annotated to a request, as far as the level keeps it. Undefined: nothing. @spec 6 */
export function keptAnnotations(all: ReadonlyMap<string, string>, level: Level, brand: Brand): Readonly<Record<string, string>> | undefined {
  if (all.size === 0) return undefined;
  const prefix = contentPrefix(brand);
  const kept = [...all].filter(([key]) => reaches(level, 'Request') || !key.startsWith(prefix));
  return kept.length === 0 ? undefined : Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}
