import { badRequest, FieldErrors, invalid, noNumber, type ApiError } from '#errors';
import { validateFieldManager } from '#api';
import { parseBoolean, parseInteger } from '#codec';
import type { Identified } from '#request';
import type { VerbContext } from './verb-context.ts';

/** Options of create, update and patch. @spec 4.3 @spec 4.8 */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** The value in the query; empty where it is absent. */
  readonly fieldManager: string;
  /** The value in the query; empty where it is absent. */
  readonly fieldValidation: string;
  readonly force: boolean | undefined;
}

/** The request whose options are read: an apply is a patch with rules of its own. */
type WriteVerb = 'create' | 'update' | 'patch' | 'apply';

const KINDS: Readonly<Record<WriteVerb, string>> = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions', apply: 'PatchOptions' };

/** The values of `fieldValidation`. The feature is off in 1.23: unknown fields are dropped, whatever the value. */
const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** Reads the options of a write from the query. Throws `Invalid` naming the parameter. */
export function readWriteOptions({ request: { query }, env }: VerbContext, requested: WriteVerb): WriteOptions {
  const at = new FieldErrors();
  const fieldManager = query.get('fieldManager') ?? '';
  const force = readBoolean(query, 'force');
  if (requested === 'apply' && fieldManager === '') at.child('fieldManager').required('is required for apply patch');
  if (requested === 'patch' && force !== undefined) at.child('force').forbidden('may not be specified for non-apply patch');
  validateFieldManager(fieldManager, at.child('fieldManager'));
  const dryRun = readDryRun(query.getAll('dryRun'), at);
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) at.child('fieldValidation').notSupported(fieldValidation, FIELD_VALIDATIONS);
  if (!at.isEmpty) throw invalid({ group: env.catalog.brand.group('meta'), kind: KINDS[requested] }, '', at.causes);
  return { dryRun, fieldManager, fieldValidation, force };
}

/** Whether a value of `dryRun` is given, valid or not. */
export const asksForDryRun = (values: readonly string[]): boolean => values.some((value) => value !== '');

/** Whether a dry run is requested. Reports every value but `All`. */
export function readDryRun(values: readonly string[], at: FieldErrors): boolean {
  const given = values.filter((value) => value !== '');
  const unknown = given.filter((value) => value !== 'All');
  if (unknown.length > 0) at.child('dryRun').notSupported(given, ['All']);
  return asksForDryRun(values);
}

/** A boolean parameter; undefined when it is absent. A parameter without a value is true. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseBoolean(text);
}

/** Refuses the parameter `export`, which 1.23 no longer has. Throws `BadRequest`. */
export function refuseExport({ query }: Identified): void {
  if (readBoolean(query, 'export') === true) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/** An integer parameter; absent is undefined. Throws `BadRequest`. */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = parseInteger(text);
  if (value === undefined) throw notAnInteger(text);
  return value;
}

/** The error for a parameter that is not an integer. */
export const notAnInteger = (text: string): ApiError => badRequest(noNumber('ParseInt', text));
