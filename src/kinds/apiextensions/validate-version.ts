import type { FieldErrors } from '#errors';
import type { SchemaProps } from '#schema';
import type { DefinitionVersion, PrinterColumn, ScalePart, Subresources } from './definition-messages.ts';
import { validateDefaults } from './validate-defaults.ts';
import { validateSchema, type DeclaredSchema } from './validate-schema.ts';
import { validateStructure } from './validate-structure.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_WARNING_LENGTH = 256;

export function validateDeprecation({ deprecated, deprecationWarning }: DefinitionVersion, at: FieldErrors): void {
  if (deprecationWarning === undefined) return;
  if (deprecated !== true) at.invalid(deprecationWarning, 'can only be set for deprecated versions');
  if (deprecationWarning === '') at.invalid(deprecationWarning, 'must not be an empty string');
  if (deprecationWarning.length > MAX_WARNING_LENGTH) at.invalid(deprecationWarning, `must be <= ${MAX_WARNING_LENGTH} characters long`);
  const position = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (position >= 0) {
    at.invalid(deprecationWarning, `must only contain printable UTF-8 characters; non-printable character found at index ${position}`);
  }
}

/** `at` stands at the schema. */
export function validateVersionSchema(schema: DeclaredSchema, hasStatus: boolean, at: FieldErrors): void {
  if (hasStatus) validateStatusRoot(schema, at);
  validateSchema(schema, at);
  if (validateStructure(schema, at)) validateDefaults(schema, at);
}

/** What may be said of an object whose status is checked apart. */
const WITH_STATUS: ReadonlySet<string> = new Set<keyof SchemaProps | 'x-kubernetes-validations'>([
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
]);

function validateStatusRoot(schema: DeclaredSchema, at: FieldErrors): void {
  const type = schema.type ?? '';
  if (type !== '' && type !== 'object') {
    at.child('type').invalid(type, 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled');
    return;
  }
  const other = Object.keys(schema).find((name) => !WITH_STATUS.has(name));
  if (other === undefined) return;
  at.invalid({ [other]: '…' }, `only ${[...WITH_STATUS].join(', ')} are allowed at the root of the schema if the status subresource is enabled`);
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
