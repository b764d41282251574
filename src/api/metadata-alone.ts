import type { Brand } from './brand.ts';
import type { KindDefinition } from './kind.ts';
import type { ObjectMeta } from './object-meta.ts';

/** Metadata as those see it who ask for nothing else: without the annotations that the kind keeps out of sight. The object stays as it is. */
export function metadataAlone({ hiddenAnnotations }: Pick<KindDefinition, 'hiddenAnnotations'>, { names }: Brand, metadata: ObjectMeta): ObjectMeta {
  if (hiddenAnnotations === undefined || metadata.annotations === undefined) return metadata;
  const hidden = hiddenAnnotations.map((name) => names[name]);
  const shown = Object.entries(metadata.annotations ?? {}).filter(([key]) => !hidden.includes(key));
  const { annotations: _, ...rest } = metadata;
  return shown.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(shown) };
}
