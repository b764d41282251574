import { FieldErrors } from '#errors';
import type { DefinitionSpec, DefinitionVersion } from './definition-messages.ts';
import { declaresDefaults, declaresExtensions, saysOnlyStructure, type DeclaredSchema } from './validate-schema.ts';
import { validateStructure } from './validate-structure.ts';

/** The schemas of all versions that have one. */
export const declaredSchemas = ({ versions }: DefinitionSpec): readonly DeclaredSchema[] =>
  (versions ?? []).flatMap(({ schema }) => (schema?.openAPIV3Schema === undefined ? [] : [schema.openAPIV3Schema as DeclaredSchema]));

/** Whether a definition from v1beta1 may keep schemas that are not structural: as long as it uses no feature that depends on structure. */
export function mayBeUnstructured(spec: DefinitionSpec, before: DefinitionSpec | undefined): boolean {
  if (spec.preserveUnknownFields !== true || before === undefined || declaredSchemas(spec).some((schema) => declaresDefaults(schema) || declaresExtensions(schema))) return false;
  return schemaFaults(before).length > 0 || unstructuredVersion(before) !== undefined;
}

/** The first version with a schema that says what structural schemas cannot; undefined: there is none. */
export const unstructuredVersion = ({ versions }: DefinitionSpec): DefinitionVersion | undefined =>
  versions?.find(({ schema }) => schema?.openAPIV3Schema !== undefined && !saysOnlyStructure(schema.openAPIV3Schema as DeclaredSchema));

/** The reasons why the schemas of a definition are not structural; `preserveUnknownFields: true` is one as well. */
export function structureFaults(spec: DefinitionSpec): FieldErrors['causes'] {
  const at = new FieldErrors('spec');
  if (spec.preserveUnknownFields === true) at.child('preserveUnknownFields').invalid(true, 'must be false');
  return [...at.causes, ...schemaFaults(spec)];
}

function schemaFaults({ versions }: DefinitionSpec): FieldErrors['causes'] {
  const at = new FieldErrors('spec');
  for (const [position, { schema }] of (versions ?? []).entries()) {
    if (schema?.openAPIV3Schema !== undefined) validateStructure(schema.openAPIV3Schema as DeclaredSchema, at.child('versions').index(position).child('schema', 'openAPIV3Schema'));
  }
  return at.causes;
}
