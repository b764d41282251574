import { brandOf, DIALECTS, type Brand } from '#api';

const SHORT_MODES: Readonly<Record<string, string>> = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' };

/** Access modes for tables: abbreviated, each once, in a fixed order. */
export function shortAccessModes(modes: readonly string[] | undefined): string {
  return Object.entries(SHORT_MODES)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** The annotation that named the storage class of a volume or claim before there was a field. */
export const classAnnotation = ({ names }: Brand): string => `volume.beta.${names.domain}/storage-class`;

const CLASS_ANNOTATIONS = DIALECTS.map((dialect) => classAnnotation(brandOf(dialect)));

/** The storage class from that annotation, of either dialect; undefined: there is none. */
export function annotatedClass(annotations: Readonly<Record<string, string>> | undefined): string | undefined {
  for (const name of CLASS_ANNOTATIONS) if (annotations !== undefined && Object.hasOwn(annotations, name)) return annotations[name];
  return undefined;
}
