import type { DefinitionVersion } from './definition-messages.ts';
import { hasStatus, isShared } from './shared-parts.ts';
import { partsOf, type DeclaredSchema } from './validate-schema.ts';

/** The words of a schema that are read without content and not stored so. */
const WORDS = ['enum', 'allOf', 'oneOf', 'anyOf', 'patternProperties', 'definitions', 'x-kubernetes-list-map-keys'] as const;

/** Removes words without content from schemas, but not from roots beside a status: there validation refuses them. Changes the versions. */
export function dropEmptyWords(versions: readonly DefinitionVersion[]): void {
  const isOne = isShared(versions, 'schema');
  for (const version of versions) {
    const root = version.schema?.openAPIV3Schema as DeclaredSchema | undefined;
    if (root === undefined) continue;
    const isBesideStatus = isOne ? versions.some(hasStatus) : hasStatus(version);
    for (const schema of isBesideStatus ? partsOf(root) : [root]) dropIn(schema);
  }
}

function dropIn(schema: DeclaredSchema): void {
  for (const word of WORDS) if (schema[word] !== undefined && Object.keys(schema[word]).length === 0) Reflect.deleteProperty(schema, word);
  for (const part of partsOf(schema)) dropIn(part);
}
