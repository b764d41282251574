import { goStruct, type GoValue } from '#errors';
import { goList, goPointer } from '../go-values.ts';
import type { DefinitionVersion } from './definition-messages.ts';
import { isShared, SHARED, type SharedPart } from './shared-parts.ts';

const VERSION = 'apiextensions.CustomResourceDefinitionVersion';

/** Versions as messages show them. */
export function showVersions(versions: readonly DefinitionVersion[] | null | undefined): GoValue {
  return goList(VERSION, versions?.map(versionShower(versions)));
}

/** Shows a version of these as Go prints it: without the parts that are equal in all of them. */
export function versionShower(all: readonly DefinitionVersion[]): (version: DefinitionVersion) => GoValue {
  const shared = new Set(SHARED.filter((part) => isShared(all, part)));
  return (version) => showVersion(version, shared);
}

function showVersion(version: DefinitionVersion, shared: ReadonlySet<SharedPart>): GoValue {
  const own = <N extends SharedPart>(name: N): DefinitionVersion[N] | undefined => (shared.has(name) ? undefined : version[name]);
  const columns = own('additionalPrinterColumns');
  return goStruct(VERSION, {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: goPointer('string', version.deprecationWarning),
    Schema: goPointer('apiextensions.CustomResourceValidation', own('schema')),
    Subresources: goPointer('apiextensions.CustomResourceSubresources', own('subresources')),
    AdditionalPrinterColumns: goList('apiextensions.CustomResourceColumnDefinition', columns?.map(showColumn)),
  });
}

const showColumn = (column: NonNullable<DefinitionVersion['additionalPrinterColumns']>[number]): GoValue =>
  goStruct('apiextensions.CustomResourceColumnDefinition', {
    Name: column.name,
    Type: column.type,
    Format: column.format ?? '',
    Description: column.description ?? '',
    Priority: column.priority ?? 0,
    JSONPath: column.jsonPath,
  });
