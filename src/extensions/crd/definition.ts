import type { KindName } from '#api';
import type { CustomResourceDefinition } from '#kinds';
import type { SchemaProps } from '#schema';

export type Definition = CustomResourceDefinition;
/** The kind of definitions, in neutral form. */
export const DEFINITION: KindName = { group: 'apiextensions', kind: 'CustomResourceDefinition' };
export type DefinitionVersion = NonNullable<Definition['spec']['versions']>[number];
export type Condition = NonNullable<Definition['status']['conditions']>[number];
export type Names = Definition['spec']['names'];

export const nameOf = ({ metadata }: Definition): string => metadata.name ?? '';
export const versionsOf = ({ spec }: Definition): readonly DefinitionVersion[] => spec.versions ?? [];

/** Whether objects preserve unknown fields: the default of v1beta1 definitions. */
export const keepsUnknown = ({ spec }: Definition): boolean => spec.preserveUnknownFields === true;

/** The schema of a version; without one, everything is allowed. */
export function schemaOf(definition: Definition, { schema }: DefinitionVersion): SchemaProps {
  const props = schema?.openAPIV3Schema as SchemaProps | undefined;
  if (props !== undefined && !keepsUnknown(definition)) return props;
  return { type: 'object', ...props, 'x-kubernetes-preserve-unknown-fields': true };
}

export const conditionOf = ({ status }: Definition, type: string): Condition | undefined => status.conditions?.find((one) => one.type === type);
export const isTrue = (definition: Definition, type: string): boolean => conditionOf(definition, type)?.status === 'True';
export const isGoing = ({ metadata }: Definition): boolean => Boolean(metadata.deletionTimestamp);

/** The version that objects are stored in. */
export function storageVersionOf(definition: Definition): DefinitionVersion {
  const version = versionsOf(definition).find(({ storage }) => storage);
  if (version === undefined) throw new TypeError(`${nameOf(definition)} names no version for storage`);
  return version;
}
