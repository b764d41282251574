import { brandOf, DIALECTS } from '#api';

const DOMAINS = DIALECTS.map((dialect) => brandOf(dialect).names.domain);
/** Annotations that held init containers before there was a field; nothing reads them. */
const OLD_ANNOTATIONS = ['alpha', 'beta'].flatMap((stage) => ['init-containers', 'init-container-statuses'].flatMap((name) => DOMAINS.map((domain) => `pod.${stage}.${domain}/${name}`)));

/** A pod or a template. */
interface PodLike {
  readonly metadata?: { annotations?: Record<string, string> };
  readonly spec: unknown;
}

/** Removes annotations from before there were init containers. Changes the metadata. */
export function dropOldAnnotations({ metadata }: PodLike): void {
  const { annotations } = metadata ?? {};
  if (annotations === undefined || !OLD_ANNOTATIONS.some((name) => Object.hasOwn(annotations, name))) return;
  for (const name of OLD_ANNOTATIONS) delete annotations[name];
  if (metadata !== undefined && Object.keys(annotations).length === 0) delete metadata.annotations;
}
