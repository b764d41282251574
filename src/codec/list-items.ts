import type { ListEnvelope } from './codec.ts';

/** The kind that items of a list omit, because it follows from the kind of the list; undefined: items keep theirs. @spec 2.3 */
export function itemKindToDrop({ kind, keepsItemKind }: ListEnvelope): string | undefined {
  if (keepsItemKind === true || !kind.endsWith('List') || kind === 'PartialObjectMetadataList') return undefined;
  return kind.slice(0, -'List'.length);
}
