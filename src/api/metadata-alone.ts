import type { Brand } from './brand.ts';
import type { KindDefinition } from './kind.ts';
import type { ObjectMeta } from './object-meta.ts';

/** The metadata for PartialObjectMetadata, without the annotations that the kind hides. Does not change the object. */
export function metadataAlone({ hiddenAnnotations }: Pick<KindDefinition, 'hiddenAnnotations'>, { names }: Brand, metadata: ObjectMeta): ObjectMeta {
  if (hiddenAnnotations === undefined || metadata.annotations === undefined) return metadata;
  const hidden = hiddenAnnotations.map((name) => names[name]);
  const shown = Object.entries(metadata.annotations ?? {}).filter(([key]) => !hidden.includes(key));
  const { annotations: _, ...rest } = metadata;
  return shown.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(shown) };
}
