import type { Brand } from '#api';
import { reaches, type Level } from './level.ts';

/** The patches of webhooks: content, so kept only at levels that keep request bodies. */
const contentPrefix = (brand: Brand): string => `patch.webhook.${brand.group('admission')}/`;

/** The annotations of a request that the level keeps. Undefined: none. @spec 6 */
export function keptAnnotations(all: ReadonlyMap<string, string>, level: Level, brand: Brand): Readonly<Record<string, string>> | undefined {
  if (all.size === 0) return undefined;
  const prefix = contentPrefix(brand);
  const kept = [...all].filter(([key]) => reaches(level, 'Request') || !key.startsWith(prefix));
  return kept.length === 0 ? undefined : Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}
