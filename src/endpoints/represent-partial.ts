import { metadataAlone, objectTypeOf, PartialObjectMetadata, type ApiObject, type Brand, type KindDefinition } from '#api';
import type { Shown } from './verb-context.ts';

export const partialType = objectTypeOf(PartialObjectMetadata);

/** Metadata alone. @spec 4.7 */
export function toPartial(kind: KindDefinition, brand: Brand, version: string, object: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `${brand.group('meta')}/${version}`, metadata: metadataAlone(kind, brand, object.metadata) };
}

/** The same in the version that the answer is wanted in. */
export const partialOf = ({ route, accepted, env }: Shown, object: ApiObject): ApiObject =>
  toPartial(route.resource.kind, env.catalog.brand, accepted.asVersion ?? 'v1', object);
