import type { ListEnvelope } from './codec.ts';

/** The kind that items of a list leave out, because the list's own kind says it; undefined: items keep theirs. @spec 2.3 */
export function itemKindToDrop({ kind, keepsItemKind }: ListEnvelope): string | undefined {
  if (keepsItemKind === true || !kind.endsWith('List') || kind === 'PartialObjectMetadataList') return undefined;
  return kind.slice(0, -'List'.length);
}
