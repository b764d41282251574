import { checkDns1035Label, checkDnsSubdomain, type ApiObject, type Brand } from '#api';
import { FieldErrors, goTexts } from '#errors';
import { newJudging } from '#schema';
import { requireOneOf } from '../value-checks.ts';
import { validateApproval } from './api-approval.ts';
import type { Definition, DefinitionNames, DefinitionSpec, DefinitionVersion } from './definition-messages.ts';
import { hasStatus, isShared, type SharedPart } from './shared-parts.ts';
import { showVersions, versionShower } from './show-versions.ts';
import { declaredSchemas, mayBeUnstructured } from './structure-faults.ts';
import { validateConversion } from './validate-conversion.ts';
import { hasUnknownInDefaults } from './validate-defaults.ts';
import { validateColumn, validateDeprecation, validateSubresources, validateVersionSchema, type Judged, type Leave } from './validate-version.ts';
import { brokenRules, declaresDefaults, type DeclaredSchema } from './validate-schema.ts';
import { validateStructure } from './validate-structure.ts';

const SCOPES = ['Cluster', 'Namespaced'];

/** The rules of a definition, beyond those of its schema. `live`: what is stored; a definition that is older than a rule may keep what it has. */
export function validateDefinition(next: Definition, live: Definition | undefined, brand: Brand, at: FieldErrors): void {
  const { spec, status, metadata } = next;
  const place = at.child('spec');
  if (live === undefined) validateName(metadata, spec, at.child('metadata'));
  validateGroup(spec.group, place.child('group'));
  requireOneOf(spec.scope, place.child('scope'), SCOPES);
  validateSchemasGiven(spec, live?.spec, place.child('versions'));
  if (spec.preserveUnknownFields === true && declaredSchemas(spec).some(declaresDefaults)) {
    place.child('preserveUnknownFields').invalid(true, 'must be false in order to use defaults in the schema');
  }
  const before = live === undefined ? [] : declaredSchemas(live.spec);
  let hadUnknown: boolean | undefined;
  const defaults = { judging: newJudging('default'), mayHaveUnknown: () => (hadUnknown ??= before.some(declaresUnknown)) };
  const leave: Leave = { isFree: mayBeUnstructured(spec, live?.spec), waived: brokenRules(before), defaults };
  validateVersions(spec, leave, place);
  validateNames(spec.names, place.child('names'));
  validateShared(spec.versions ?? [], leave, place);
  if (spec.preserveUnknownFields === true && spec.conversion !== undefined && spec.conversion.strategy !== 'None') {
    place.child('conversion', 'strategy').invalid(spec.conversion.strategy, 'must be None if spec.preserveUnknownFields is true');
  }
  if (spec.conversion !== undefined) validateConversion(spec.conversion, live?.spec.conversion, place.child('conversion'));
  if (live !== undefined) validateImmutable(spec, live, place);
  validateDefinitionStatus(next, at);
  validateStoredVersions(status.storedVersions ?? [], spec.versions ?? [], at.child('status', 'storedVersions'));
  validateApproval(next, live, brand, at.child('metadata', 'annotations'));
  if (spec.preserveUnknownFields === true && live?.spec.preserveUnknownFields !== true) {
    place.child('preserveUnknownFields').invalid(true, 'cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead');
  }
}

export const validateDefinitionStatus = ({ status }: Definition, at: FieldErrors): void =>
  validateGivenNames(status.acceptedNames, at.child('status', 'acceptedNames'));

/** The name is fixed; `generateName` is no alternative to it. */
function validateName({ name, generateName }: ApiObject['metadata'], { group, names }: DefinitionSpec, at: FieldErrors): void {
  for (const [member, text] of Object.entries({ generateName, name })) {
    if (text && text !== `${names.plural}.${group}`) at.child(member).invalid(text, 'must be spec.names.plural+"."+spec.group');
  }
}

/** Whether a default has fields that its schema does not know: a definition that is older than the rule keeps them. */
const declaresUnknown = (schema: DeclaredSchema): boolean => declaresDefaults(schema) && validateStructure(schema, new FieldErrors()) && hasUnknownInDefaults(schema);

function validateImmutable(spec: DefinitionSpec, { spec: before, status }: Definition, at: FieldErrors): void {
  const keep = (next: string, live: string, place: FieldErrors): void => {
    if (next !== live) place.invalid(next, 'field is immutable');
  };
  const isEstablished = status.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;
  if (isEstablished) {
    keep(spec.scope, before.scope, at.child('scope'));
    keep(spec.names.kind, before.names.kind, at.child('names', 'kind'));
  }
  keep(spec.group, before.group, at.child('group'));
  keep(spec.names.plural, before.names.plural, at.child('names', 'plural'));
}

function validateGroup(group: string, at: FieldErrors): void {
  if (group === '') at.required();
  else if (reportAll(at, group, checkDnsSubdomain(group)) && !group.includes('.')) at.invalid(group, 'should be a domain with at least one dot');
}

/** Reports all faults of a text as one. Returns whether there are none. */
function reportAll(at: FieldErrors, text: string, faults: readonly string[] | undefined): boolean {
  if (faults !== undefined) at.invalid(text, faults.join());
  return faults === undefined;
}

function validateNames(names: DefinitionNames, at: FieldErrors): void {
  const { plural, singular = '', kind, listKind = '' } = names;
  for (const [member, name] of Object.entries({ plural, singular, kind, listKind })) if (name === '') at.child(member).required();
  validateGivenNames(names, at);
}

/** Validates the given names; in a status they may be missing. */
function validateGivenNames({ plural, singular = '', kind, listKind = '', shortNames, categories }: DefinitionNames, at: FieldErrors): void {
  validateWord(plural, at.child('plural'));
  validateWord(singular, at.child('singular'));
  validateKindName(kind, at.child('kind'));
  validateKindName(listKind, at.child('listKind'));
  for (const [position, one] of (shortNames ?? []).entries()) reportAll(at.child('shortNames').index(position), one, checkDns1035Label(one));
  if (kind !== '' && kind === listKind) at.child('listKind').invalid(listKind, 'kind and listKind may not be the same');
  for (const [position, one] of (categories ?? []).entries()) reportAll(at.child('categories').index(position), one, checkDns1035Label(one));
}

function validateWord(name: string, at: FieldErrors): void {
  if (name !== '') reportAll(at, name, checkDns1035Label(name));
}

function validateKindName(name: string, at: FieldErrors): void {
  if (name === '') return;
  const faults = checkDns1035Label(name.toLowerCase());
  if (faults !== undefined) at.invalid(name, `may have mixed case, but should otherwise match: ${faults.join()}`);
}

/** A definition with versions without schema may keep them, as long as their objects preserve unknown fields. */
function validateSchemasGiven({ versions, preserveUnknownFields }: DefinitionSpec, before: DefinitionSpec | undefined, at: FieldErrors): void {
  const isStrict = before?.versions?.every(hasSchema) ?? true;
  for (const [position, version] of (versions ?? []).entries()) {
    const place = at.index(position).child('schema', 'openAPIV3Schema');
    if (hasSchema(version)) continue;
    if (isStrict) place.required('schemas are required');
    else if (preserveUnknownFields !== true && version.served) place.required('because otherwise all fields are pruned');
  }
}

const hasSchema = ({ schema }: DefinitionVersion): boolean => schema?.openAPIV3Schema !== undefined;

function validateVersions(spec: DefinitionSpec, leave: Leave, at: FieldErrors): void {
  const versions = spec.versions ?? [];
  const place = at.child('versions');
  const ownParts = PARTS.filter(({ of }) => !isShared(versions, of));
  for (const [position, version] of versions.entries()) {
    const own = place.index(position);
    reportAll(own.child('name'), version.name, checkDns1035Label(version.name));
    validateDeprecation(version, own.child('deprecationWarning'));
    for (const part of ownParts) part.validate(version, own, { ...leave, hasStatus: hasStatus(version) });
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) place.invalid(showVersions(spec.versions), 'must contain unique version names');
  if (versions.filter(({ storage }) => storage).length !== 1) place.invalid(showVersions(spec.versions), 'must have exactly one version marked as storage version');
  const [first] = versions;
  // The first version's name was once a field of its own, and is reported at its path as well.
  if (first !== undefined && first.name !== '') reportAll(at.child('version'), first.name, checkDns1035Label(first.name));
}

/** Validates what is equal in all versions once, at the path of the former top-level fields. */
function validateShared(versions: readonly DefinitionVersion[], leave: Leave, at: FieldErrors): void {
  const [first] = versions;
  if (first === undefined) return;
  for (const part of PARTS) if (isShared(versions, part.of)) part.validate(first, at, { ...leave, hasStatus: versions.some(hasStatus) }, part.shared);
}

/** A part of a version that may be equal in all versions. */
interface Part {
  readonly of: SharedPart;
  /** Its field name at the top level. */
  readonly shared: string;
  validate(version: DefinitionVersion, at: FieldErrors, judged: Judged, name?: string): void;
}

const PARTS: readonly Part[] = [
  {
    of: 'schema',
    shared: 'validation',
    validate({ schema }, at, judged, name = 'schema') {
      // A missing schema is reported elsewhere.
      if (schema?.openAPIV3Schema !== undefined) validateVersionSchema(schema.openAPIV3Schema as DeclaredSchema, judged, at.child(name, 'openAPIV3Schema'));
    },
  },
  {
    of: 'subresources',
    shared: 'subresources',
    validate({ subresources }, at) {
      if (subresources !== undefined) validateSubresources(subresources, at.child('subresources'));
    },
  },
  {
    of: 'additionalPrinterColumns',
    shared: 'additionalPrinterColumns',
    validate({ additionalPrinterColumns: columns }, at) {
      for (const [position, column] of (columns ?? []).entries()) validateColumn(column, at.child('additionalPrinterColumns').index(position));
    },
  },
];

function validateStoredVersions(stored: readonly string[], versions: readonly DefinitionVersion[], at: FieldErrors): void {
  if (stored.length === 0) {
    at.invalid(goTexts(undefined), 'must have at least one stored version');
    return;
  }
  const left = new Map(stored.map((name, position) => [name, position]));
  const show = versionShower(versions);
  for (const version of versions) {
    const { name } = version;
    if (version.storage && !left.has(name)) at.invalid(show(version), `must have the storage version ${name}`);
    left.delete(name);
  }
  for (const [name, position] of left) at.index(position).invalid(name, 'must appear in spec.versions');
}
