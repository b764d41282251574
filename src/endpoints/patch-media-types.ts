import { notAcceptable, unsupportedMediaType } from '#errors';
import { bareMediaType } from '#codec';
import type { Identified } from '#request';
import type { Route } from './route.ts';

/** The mechanism of a patch document. @spec 4.3 */
export type Mechanism = 'json' | 'merge' | 'strategic' | 'apply';
/** The mechanisms that change an existing object. */
export type ChangeMechanism = Exclude<Mechanism, 'apply'>;

/** One row per content type of PATCH. */
const PATCH_MEDIA_TYPES: ReadonlyMap<string, Mechanism> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);
/** Custom resources have no strategic merge, not even of their scale. */
const CUSTOM_PATCH_MEDIA_TYPES: ReadonlyMap<string, Mechanism> = new Map([...PATCH_MEDIA_TYPES].filter(([, mechanism]) => mechanism !== 'strategic'));

/**
 * Checks the content type of a patch before the response format is negotiated and before the verb runs. For built-in kinds one supported type in a
 * comma-separated list suffices here; `mechanismOf`, which runs when the body is read, accepts a single type only. Throws `UnsupportedMediaType`; for
 * built-in kinds `NotAcceptable` where no length of a body is announced, as 1.23 does.
 */
export function checkPatchType(request: Identified, route: Route): void {
  const said = contentTypeOf(request);
  const types = patchTypesOf(route);
  const several = types === CUSTOM_PATCH_MEDIA_TYPES ? [said] : [said, ...said.split(',')];
  if (several.some((one) => types.has(bareMediaType(one)))) return;
  throw types === CUSTOM_PATCH_MEDIA_TYPES || announcesBody(request) ? unsupportedMediaType([...types.keys()]) : notAcceptable([...types.keys()]);
}

const announcesBody = ({ headers }: Identified): boolean => Number(headers.get('content-length')?.[0] ?? 0) > 0;

/** The mechanism of the body; the content type must be exactly one supported type. Throws `UnsupportedMediaType`. */
export function mechanismOf(request: Identified, route: Route): Mechanism {
  const types = patchTypesOf(route);
  const mechanism = types.get(bareMediaType(contentTypeOf(request)));
  if (mechanism === undefined) throw unsupportedMediaType([...types.keys()]);
  return mechanism;
}

const patchTypesOf = ({ resource }: Route): ReadonlyMap<string, Mechanism> => (resource.kind.isCustom === true ? CUSTOM_PATCH_MEDIA_TYPES : PATCH_MEDIA_TYPES);

const contentTypeOf = ({ headers }: Identified): string => headers.get('content-type')?.[0] ?? '';
