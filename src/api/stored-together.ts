import type { KindDefinition } from './kind.ts';

/**
 * Whether two kinds serve the same stored objects, as the groups of events do. Compared by name: a server changes declarations, for one the time its
 * events live, so that one kind may have several.
 */
export function areStoredTogether(one: KindDefinition, other: KindDefinition): boolean {
  const [first, second] = [one.storedAs ?? one, other.storedAs ?? other];
  return first.group === second.group && first.kind === second.kind;
}
