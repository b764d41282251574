import { checkDns1035Label, checkDnsSubdomain, type ApiObject, type Brand } from '#api';
import { isDeepEqual } from '#base';
import { FieldErrors, goStruct, goTexts, type GoValue } from '#errors';
import { isRequestUri, newJudging } from '#schema';
import { isReviewVersion, requireSpoken, validateReviewVersions } from '../admissionregistration/review-versions.ts';
import { validateWebhookClient } from '../admissionregistration/webhook-client.ts';
import { goList, goPointer } from '../go-values.ts';
import type { Conversion, DefinitionNames, DefinitionSpec, DefinitionStatus, DefinitionVersion } from './definition-messages.ts';
import { hasUnknownInDefaults } from './validate-defaults.ts';
import { validateColumn, validateDeprecation, validateSubresources, validateVersionSchema, type Judged, type Leave } from './validate-version.ts';
import { brokenRules, declaresDefaults, declaresExtensions, saysOnlyStructure, type DeclaredSchema } from './validate-schema.ts';
import { validateStructure } from './validate-structure.ts';

export interface Definition extends Pick<ApiObject, 'metadata'> {
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}

const SCOPES = ['Cluster', 'Namespaced'];
const STRATEGIES = ['None', 'Webhook'];

export function validateDefinition(next: Definition, live: Definition | undefined, brand: Brand, at: FieldErrors): void {
  const { spec, status, metadata } = next;
  const place = at.child('spec');
  if (live === undefined) validateName(metadata, spec, at.child('metadata'));
  validateGroup(spec.group, place.child('group'));
  validateChoice(spec.scope, SCOPES, place.child('scope'));
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

/** The schemas of all versions that have one. */
export const declaredSchemas = ({ versions }: DefinitionSpec): readonly DeclaredSchema[] =>
  (versions ?? []).flatMap(({ schema }) => (schema?.openAPIV3Schema === undefined ? [] : [schema.openAPIV3Schema as DeclaredSchema]));

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

function validateChoice(value: string, choices: readonly string[], at: FieldErrors): void {
  if (value === '') at.required();
  else if (!choices.includes(value)) at.notSupported(value, choices);
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

/** Whether a definition from v1beta1 may keep schemas that are not structural: as long as it uses no feature that depends on structure. */
function mayBeUnstructured(spec: DefinitionSpec, before: DefinitionSpec | undefined): boolean {
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

const hasStatus = ({ subresources }: DefinitionVersion): boolean => subresources?.status !== undefined;

const isShared = (versions: readonly DefinitionVersion[], of: Part['of']): boolean =>
  versions.every((version) => isDeepEqual(version[of], versions[0]?.[of]));

/** A part of a version that may be equal in all versions. */
interface Part {
  readonly of: 'schema' | 'subresources' | 'additionalPrinterColumns';
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

const VERSION = 'apiextensions.CustomResourceDefinitionVersion';

function showVersions(versions: readonly DefinitionVersion[] | null | undefined): GoValue {
  return goList(VERSION, versions?.map(versionShower(versions)));
}

/** Shows a version of these as Go prints it: without the parts that are equal in all of them. */
function versionShower(all: readonly DefinitionVersion[]): (version: DefinitionVersion) => GoValue {
  const shared = new Set(PARTS.map(({ of }) => of).filter((of) => isShared(all, of)));
  return (version) => showVersion(version, shared);
}

function showVersion(version: DefinitionVersion, shared: ReadonlySet<Part['of']>): GoValue {
  const own = <N extends Part['of']>(name: N): DefinitionVersion[N] | undefined => (shared.has(name) ? undefined : version[name]);
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

/** Paths have the field names of v1beta1, as in kube-apiserver. */
function validateConversion({ strategy, webhook }: Conversion, before: Conversion | undefined, at: FieldErrors): void {
  validateChoice(strategy, STRATEGIES, at.child('strategy'));
  const client = at.child('webhookClientConfig');
  const reviews = at.child('conversionReviewVersions');
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== 'Webhook') {
    if (webhook?.clientConfig !== undefined) client.forbidden('should not be set when strategy is not set to Webhook');
    if (versions.length > 0) reviews.forbidden('should not be set when strategy is not set to Webhook');
    return;
  }
  if (webhook?.clientConfig === undefined) client.required('required when strategy is set to Webhook');
  else validateWebhookClient(webhook.clientConfig, client);
  validateReviewVersions(versions, reviews);
  const known = before?.webhook?.conversionReviewVersions ?? [];
  if (known.length === 0 || known.some(isReviewVersion)) requireSpoken(versions, reviews);
}

/** Whether a group belongs to a protected domain of Kubernetes. */
export const isProtectedGroup = (group: string, { names }: Brand): boolean =>
  [names.domain, names.shortDomain].some((domain) => group === domain || group.endsWith(`.${domain}`));

/** A scheme and a host, perhaps behind a user. */
const WITH_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?]*@)?[^/?@]+(?:[/?]|$)/i;

export type Approval = 'approved' | 'unapproved' | 'missing' | 'bogus';

/** The API approval in the annotation of a definition in a protected group. */
export function approvalOf({ metadata }: Pick<ApiObject, 'metadata'>, { names }: Brand): Approval {
  const text = metadata.annotations?.[names.apiApprovedAnnotation] ?? '';
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'unapproved';
  return WITH_HOST.test(text) && isRequestUri(text) ? 'approved' : 'bogus';
}

function validateApproval(next: Definition, live: Definition | undefined, brand: Brand, at: FieldErrors): void {
  if (!isProtectedGroup(next.spec.group, brand)) return;
  const approval = approvalOf(next, brand);
  if (live !== undefined && approvalOf(live, brand) === approval) return;
  const name = brand.names.apiApprovedAnnotation;
  const place = at.key(name);
  if (approval === 'missing') place.required(`protected groups must have approval annotation ${JSON.stringify(name)}, see ${brand.names.apiApprovedHelp}`);
  if (approval === 'bogus') {
    const text = next.metadata.annotations?.[name];
    place.invalid(text, `protected groups must have approval annotation ${JSON.stringify(name)} with either a URL or a reason starting with "unapproved", see ${brand.names.apiApprovedHelp}`);
  }
}

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
