import { unsupportedMediaType } from '#errors';
import { bareMediaType } from '#codec';
import type { Identified } from '#request';
import type { Route } from './route.ts';

/** How a patch document is meant. @spec 4.3 */
export type Mechanism = 'json' | 'merge' | 'strategic' | 'apply';

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
 * What a body is sent as is looked at before how it may be answered, and before what is asked for: one of several types may do, until it is read
 * (`mechanismOf`). Throws `UnsupportedMediaType`.
 */
export function insistOnPatchType(request: Identified, route: Route): void {
  const said = contentTypeOf(request);
  const types = patchTypesOf(route);
  const several = types === CUSTOM_PATCH_MEDIA_TYPES ? [said] : [said, ...said.split(',')];
  if (!several.some((one) => types.has(bareMediaType(one)))) throw unsupportedMediaType([...types.keys()]);
}

/** What the body that is now read is meant as: here only the type that was sent will do. Throws `UnsupportedMediaType`. */
export function mechanismOf(request: Identified, route: Route): Mechanism {
  const types = patchTypesOf(route);
  const mechanism = types.get(bareMediaType(contentTypeOf(request)));
  if (mechanism === undefined) throw unsupportedMediaType([...types.keys()]);
  return mechanism;
}

const patchTypesOf = ({ resource }: Route): ReadonlyMap<string, Mechanism> => (resource.kind.isCustom === true ? CUSTOM_PATCH_MEDIA_TYPES : PATCH_MEDIA_TYPES);

const contentTypeOf = ({ headers }: Identified): string => headers.get('content-type')?.[0] ?? '';
