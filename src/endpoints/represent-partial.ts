import { objectTypeOf, PartialObjectMetadata, type ApiObject, type Brand } from '#api';

export const partialType = objectTypeOf(PartialObjectMetadata);

/** Metadata alone. @spec 4.7 */
export function toPartial(brand: Brand, version: string, object: ApiObject): ApiObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `${brand.group('meta')}/${version}`, metadata: object.metadata };
}
