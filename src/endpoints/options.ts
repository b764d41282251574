import { badRequest, FieldErrors, invalid, noNumber, type ApiError } from '#errors';
import { validateFieldManager } from '#api';
import { parseBoolean, parseInteger } from '#codec';
import type { Identified } from '#request';
import type { VerbContext } from './verb-context.ts';

/** Options of create, update and patch. @spec 4.3 @spec 4.8 */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** As asked for; empty when not. */
  readonly fieldManager: string;
  /** As asked for; empty when not. */
  readonly fieldValidation: string;
  readonly force: boolean | undefined;
}

/** An apply is a patch with rules of its own. */
type Asked = 'create' | 'update' | 'patch' | 'apply';

const KINDS: Readonly<Record<Asked, string>> = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions', apply: 'PatchOptions' };

/** What a request may ask to be done about members that nobody knows. The feature is off in 1.23: they are dropped, whatever is asked. */
const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** Throws `Invalid` naming the parameter. */
export function readWriteOptions({ request: { query }, env }: VerbContext, asked: Asked): WriteOptions {
  const at = new FieldErrors();
  const fieldManager = query.get('fieldManager') ?? '';
  const force = readBoolean(query, 'force');
  if (asked === 'apply' && fieldManager === '') at.child('fieldManager').required('is required for apply patch');
  if (asked === 'patch' && force !== undefined) at.child('force').forbidden('may not be specified for non-apply patch');
  validateFieldManager(fieldManager, at.child('fieldManager'));
  const dryRun = readDryRun(query.getAll('dryRun'), at);
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) at.child('fieldValidation').notSupported(fieldValidation, FIELD_VALIDATIONS);
  if (!at.isEmpty) throw invalid({ group: env.catalog.brand.group('meta'), kind: KINDS[asked] }, '', at.causes);
  return { dryRun, fieldManager, fieldValidation, force };
}

/** Whether anything is asked for: what it is may still be wrong. */
export const asksForDryRun = (values: readonly string[]): boolean => values.some((value) => value !== '');

/** Only `All`, or nothing. */
export function readDryRun(values: readonly string[], at: FieldErrors): boolean {
  const given = values.filter((value) => value !== '');
  const unknown = given.filter((value) => value !== 'All');
  if (unknown.length > 0) at.child('dryRun').notSupported(given, ['All']);
  return asksForDryRun(values);
}

/** A boolean parameter; undefined when it is absent. Named without a value it is true. */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseBoolean(text);
}

/** What 1.23 no longer has says so to those who still ask for it. Throws `BadRequest`. */
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

/** A parameter that should be an integer and is none. */
export const notAnInteger = (text: string): ApiError => badRequest(noNumber('ParseInt', text));
