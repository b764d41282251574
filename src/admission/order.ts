import type { AdmissionPlugin } from './plugin.ts';
import * as plugins from './plugins/index.gen.ts';

/** In the order in which they run. */
export const BANDS: readonly AdmissionPlugin['band'][] = ['builtin', 'webhook', 'quota', 'final'];

/** All plugins, `more` included, in execution order: by band, then after the plugins they name, then by name. */
export function orderedPlugins(more: readonly AdmissionPlugin[] = []): readonly AdmissionPlugin[] {
  return inOrder([...Object.values(plugins), ...more]);
}

/** Sorts plugins into execution order. Throws an `Error` where their `after` names form a cycle. */
export function inOrder(known: readonly AdmissionPlugin[]): readonly AdmissionPlugin[] {
  const waiting = [...known].sort((one, other) => BANDS.indexOf(one.band) - BANDS.indexOf(other.band) || (one.name < other.name ? -1 : 1));
  const placed: AdmissionPlugin[] = [];
  while (waiting.length > 0) {
    const at = waiting.findIndex((plugin) => !(plugin.after ?? []).some((name) => waiting.some((other) => other.name === name)));
    if (at < 0) throw new Error(`admission plugins wait for each other: ${waiting.map((plugin) => plugin.name).join(', ')}`);
    placed.push(...waiting.splice(at, 1));
  }
  return placed;
}
