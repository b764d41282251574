import { metadataAlone, objectTypeOf, PartialObjectMetadata, type ApiObject, type Brand, type KindDefinition } from '#api';
import type { Representation } from './verb-context.ts';

export const partialType = objectTypeOf(PartialObjectMetadata);

/** Metadata alone. @spec 4.7 */
export function toPartial(kind: KindDefinition, brand: Brand, version: string, object: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `${brand.group('meta')}/${version}`, metadata: metadataAlone(kind, brand, object.metadata) };
}

/** Metadata alone, in the version that was negotiated. */
export const partialOf = ({ route, accepted, env }: Representation, object: ApiObject): ApiObject =>
  toPartial(route.resource.kind, env.catalog.brand, accepted.asVersion ?? 'v1', object);
