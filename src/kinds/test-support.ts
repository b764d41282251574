import {
  brandOf,
  objectTypeOf,
  validateObjectMeta,
  validateObjectMetaUpdate,
  type ApiObject,
  type Dialect,
  type HookContext,
  type HookUser,
  type KindDefinition,
} from '#api';
import { FieldErrors, type Cause } from '#errors';
import { applyDefaults, decode } from '#schema';

/** A write for the hooks of a kind, as the registry runs them. */
export interface Write {
  readonly body: object;
  readonly live?: ApiObject;
  readonly subresource?: string;
  readonly dialect?: Dialect;
  readonly user?: HookUser;
  readonly version?: string;
  readonly verifySignature?: HookContext['verifySignature'];
  readonly serviceFamilies?: readonly string[];
}

export interface Outcome {
  readonly object: ApiObject;
  /** `Reason field`, each once, in the order found; the reason without `FieldValue`. */
  readonly causes: readonly string[];
  /** The messages of all faults, in the same order; repeated ones included. */
  readonly messages: readonly string[];
}

/** Decodes, defaults, prepares and validates an object of any kind. Namespace `n` and name `a` unless the body has others. */
export function write(kind: KindDefinition<never>, { body, live, subresource = '', dialect = 'orch', user, version, verifySignature, serviceFamilies }: Write): Outcome {
  const any = kind as unknown as KindDefinition;
  const object = read(any, body);
  const brand = brandOf(dialect);
  if (any.scope === 'Namespaced') object.metadata.namespace ??= 'n';
  object.metadata.name ??= 'a';
  any.complete?.(object, brand);
  const context = { brand, subresource, nowMs: 0, ...(user && { user }), ...(version && { version }), ...(verifySignature && { verifySignature }), ...(serviceFamilies && { serviceFamilies }) };
  const at = new FieldErrors();
  if (live !== undefined) object.metadata.resourceVersion = '1';
  any.prepare?.(object, live, context);
  const refused = subresource === '' ? (any.refuse?.(object, live, context) ?? []) : [];
  if (refused.length > 0) return outcome(object, refused);
  if (live === undefined) any.completeNamed?.(object);
  if (live === undefined)
    validateObjectMeta(object.metadata, { ...any, nameForm: any.nameForm ?? 'dns-subdomain' }, at.child('metadata'));
  else validateObjectMetaUpdate(object.metadata, live.metadata, any, at.child('metadata'));
  any.validate?.(object, live, at, context);
  return outcome(object, at.causes);
}

const outcome = (object: ApiObject, causes: readonly Cause[]): Outcome => ({
  object,
  causes: [...new Set(causes.map((cause) => `${cause.reason?.replace('FieldValue', '')} ${cause.field ?? ''}`))],
  messages: causes.map(({ message = '' }) => message),
});

function read(kind: KindDefinition, body: object): ApiObject {
  const { versions, storage } = kind.storedAs ?? kind;
  const schema = versions[storage]?.schema;
  if (schema === undefined) throw new Error(`${kind.kind} does not declare its storage version`);
  const type = objectTypeOf(schema);
  const value = decode(type, body);
  applyDefaults(type, value);
  return value as unknown as ApiObject;
}

/** The cells of an object in the columns of its kind. */
export function cellsOf(kind: KindDefinition<never>, object: ApiObject): readonly unknown[] {
  return ((kind as unknown as KindDefinition).columns ?? []).map((column) => column.cell(object, 0));
}
