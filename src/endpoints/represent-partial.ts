import { metadataAlone, objectTypeOf, PartialObjectMetadata, type ApiObject, type Brand, type KindDefinition } from '#api';

export const partialType = objectTypeOf(PartialObjectMetadata);

/** Metadata alone. @spec 4.7 */
export function toPartial(kind: KindDefinition, brand: Brand, version: string, object: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `${brand.group('meta')}/${version}`, metadata: metadataAlone(kind, brand, object.metadata) };
}
