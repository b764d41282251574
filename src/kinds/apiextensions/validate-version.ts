import { utf8Length } from '#base';
import type { FieldErrors } from '#errors';
import type { DefinitionVersion, PrinterColumn, ScalePart, Subresources } from './definition-messages.ts';
import { validateDefaults, type DefaultRules } from './validate-defaults.ts';
import { isSaid, saysOnlyStructure, validateSchema, type DeclaredSchema, type SchemaRule } from './validate-schema.ts';
import { validateStructure } from './validate-structure.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_WARNING_BYTES = 256;

export function validateDeprecation({ deprecated, deprecationWarning }: DefinitionVersion, at: FieldErrors): void {
  if (deprecationWarning === undefined) return;
  if (deprecated !== true) {
    at.invalid(deprecationWarning, 'can only be set for deprecated versions');
    return;
  }
  if (utf8Length(deprecationWarning) > MAX_WARNING_BYTES) at.invalid(deprecationWarning, `must be <= ${MAX_WARNING_BYTES} characters long`);
  if (deprecationWarning === '') at.invalid(deprecationWarning, 'must not be an empty string');
  const position = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (position >= 0) {
    const index = utf8Length(deprecationWarning.slice(0, position));
    at.invalid(deprecationWarning, `must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
}

/** Exceptions for definitions that are older than a rule, and what is shared by all schemas. */
export interface Leave {
  /** Whether its schemas need not be structural. */
  readonly isFree: boolean;
  readonly waived: ReadonlySet<SchemaRule>;
  readonly defaults: DefaultRules;
}

export interface Judged extends Leave {
  readonly hasStatus: boolean;
}

/** Validates the schema of a version. `at`: the path of the schema. */
export function validateVersionSchema(schema: DeclaredSchema, { hasStatus, isFree, waived, defaults }: Judged, at: FieldErrors): void {
  const before = at.causes.length;
  if (hasStatus) validateStatusRoot(schema, at);
  validateSchema(schema, waived, at);
  if (isFree) return;
  if (!saysOnlyStructure(schema)) {
    // Other unsupported keywords have been reported.
    if (at.causes.length === before) at.invalid('', 'OpenAPIV3Schema \'schema\' is not supported');
    return;
  }
  if (validateStructure(schema, at)) validateDefaults(schema, defaults, at);
}

/** Keywords allowed at the root of a schema with a status subresource. */
const WITH_STATUS: readonly (keyof DeclaredSchema)[] = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];

/** The Go name of a keyword: without prefix, capitalized. */
const shownName = (name: string): string => name.replace('x-kubernetes-', 'X-').replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function validateStatusRoot(schema: DeclaredSchema, at: FieldErrors): void {
  const type = schema.type ?? '';
  if (type !== '' && type !== 'object') {
    at.child('type').invalid(type, 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled');
    return;
  }
  const other = Object.entries(schema).find(([name, value]) => isSaid(name, value) && !(WITH_STATUS as readonly string[]).includes(name));
  if (other === undefined) return;
  const names = WITH_STATUS.map(shownName).join(' ');
  at.invalid({ [other[0]]: '…' }, `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`);
}

export function validateSubresources({ scale }: Subresources, at: FieldErrors): void {
  if (scale !== undefined) validateScalePaths(scale, at.child('scale'));
}

function validateScalePaths({ specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePart, at: FieldErrors): void {
  validatePathUnder('spec', specReplicasPath, at.child('specReplicasPath'));
  validatePathUnder('status', statusReplicasPath, at.child('statusReplicasPath'));
  const place = at.child('labelSelectorPath');
  if (labelSelectorPath && validateSimplePath(labelSelectorPath, place) && !/^\.(?:spec|status)\./.test(labelSelectorPath)) {
    place.invalid(labelSelectorPath, 'should be a json path under either .spec or .status');
  }
}

function validatePathUnder(member: string, path: string, at: FieldErrors): void {
  if (path === '') at.required();
  else if (validateSimplePath(path, at) && !path.startsWith(`.${member}.`)) at.invalid(path, `should be a json path under .${member}`);
}

function validateSimplePath(path: string, at: FieldErrors): boolean {
  if (path.startsWith('.')) return true;
  at.invalid(path, 'must be a simple json path starting with .');
  return false;
}

export function validateColumn({ name, type, format, jsonPath }: PrinterColumn, at: FieldErrors): void {
  if (name === '') at.child('name').required();
  const types = COLUMN_TYPES.join();
  if (type === '') at.child('type').required(`must be one of ${types}`);
  else if (!COLUMN_TYPES.includes(type)) at.child('type').invalid(type, `must be one of ${types}`);
  if (format && !COLUMN_FORMATS.includes(format)) at.child('format').invalid(format, `must be one of ${COLUMN_FORMATS.join()}`);
  if (jsonPath === '') at.child('JSONPath').required();
  else validateSimplePath(jsonPath, at.child('JSONPath'));
}
