import { canonicalJson, cloneJson, isJsonObject, memberOf, when, type JsonObject } from '#base';
import { apply as applyConfig, resetFieldsOf } from '#apply';
import { ApiError, badRequest, FieldErrors, goJsonType, goPlain, goTypeOf, invalid, unsupportedMediaType } from '#errors';
import { DecodeFailure, type MessageType } from '#schema';
import { objectTypeOf, type ApiObject } from '#api';
import { bareMediaType, decodeBody, parseJson, parseYaml, type Expected } from '#codec';
import { jsonPatch, mergePatchObject, strategicMerge } from '#patch';
import { expectedOf, nameless, setDefaults, toServed, toStorage } from './decode-body.ts';
import type { WriteOptions } from './options.ts';
import type { Identified } from '#request';
import type { Route } from './route.ts';
import type { VerbContext } from './verb-context.ts';
import { inEachVersion } from './version-forms.ts';
import { changedNothing, remember, type AppliedBefore } from './unchanged-applies.ts';
import { trackWrite } from './write-plan.ts';

/** How a patch document is meant. @spec 4.3 */
export type Mechanism = 'json' | 'merge' | 'strategic' | 'apply';

/** One row per content type of PATCH. */
const PATCH_MEDIA_TYPES: ReadonlyMap<string, Mechanism> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);
/** Custom resources have no strategic merge, not even of their scale. */
const CUSTOM_PATCH_MEDIA_TYPES: ReadonlyMap<string, Mechanism> = new Map([...PATCH_MEDIA_TYPES].filter(([, mechanism]) => mechanism !== 'strategic'));

/**
 * What a body is sent as is looked at before how it may be answered, and before what is asked for: one of several types may do, until it is read.
 * Throws `UnsupportedMediaType`.
 */
export function insistOnPatchType(request: Identified, route: Route): void {
  const said = contentTypeOf(request);
  const types = patchTypesOf(route);
  const several = types === CUSTOM_PATCH_MEDIA_TYPES ? [said] : [said, ...said.split(',')];
  if (!several.some((one) => types.has(bareMediaType(one)))) throw unsupportedMediaType([...types.keys()]);
}

/** The mechanism of a content type. Throws `UnsupportedMediaType`. */
export function mechanismOf({ request, route }: VerbContext): Mechanism {
  const types = patchTypesOf(route);
  const mechanism = types.get(bareMediaType(contentTypeOf(request)));
  if (mechanism === undefined) throw unsupportedMediaType([...types.keys()]);
  return mechanism;
}

const patchTypesOf = ({ resource }: Route): ReadonlyMap<string, Mechanism> => (resource.kind.isCustom === true ? CUSTOM_PATCH_MEDIA_TYPES : PATCH_MEDIA_TYPES);

const contentTypeOf = ({ headers }: Identified): string => headers.get('content-type')?.[0] ?? '';

/** A patch document, read once and applied as often as races make it necessary. */
export interface Patch {
  /** Whether it can make an object that is not there. */
  readonly mayCreate: boolean;
  /** The next object in the storage version, ownership included. Throws `BadRequest`, `Invalid`, `Conflict`. */
  apply(live: ApiObject | undefined, options: WriteOptions): ApiObject | Promise<ApiObject>;
}

/** Reads a patch document: what only changes an object is read once there is one. Throws `BadRequest` where it is none of its kind. */
export const preparePatch = (context: VerbContext, mechanism: Mechanism, body: Uint8Array): Patch =>
  mechanism === 'apply' ? prepareApply(context, body) : changing(context, mechanism, body);

type ChangeMechanism = Exclude<Mechanism, 'apply'>;

/** How each kind of document changes an object in the version of the request. */
export const CHANGES: Readonly<Record<ChangeMechanism, (type: MessageType, document: object, patch: unknown) => unknown>> = {
  json: (_type, document, patch) => jsonPatch(document, patch),
  merge: (_type, document, patch) => mergePatchObject(document, patch),
  strategic: (type, document, patch) => withHeadOf(document, strategicMerge(type, document, patch), patch),
};

/**
 * What an object is does not come from a strategic merge patch: 1.23 passes over it there, where it is a text at least. Throws `Invalid`.
 * Changes `merged`.
 */
function withHeadOf(document: object, merged: JsonObject, patch: unknown): JsonObject {
  for (const name of ['apiVersion', 'kind']) {
    const said = memberOf(merged, name);
    if (said !== undefined && typeof said !== 'string') throw noText(patch, said);
    if (Object.hasOwn(document, name)) merged[name] = Reflect.get(document, name);
  }
  return merged;
}

function noText(patch: unknown, value: unknown): ApiError {
  const at = new FieldErrors();
  const from = goTypeOf(value);
  at.child('patch').invalid(goPlain(patch), from === 'int64' ? 'cannot convert int64 to string' : 'unrecognized type: string');
  return invalid({ group: '', kind: '' }, '', at.causes);
}

/** Patches of the object as the caller's version shows it. */
function changing(context: VerbContext, mechanism: ChangeMechanism, body: Uint8Array): Patch {
  const { resource, served } = context.route;
  const expected = expectedOf(resource, served);
  // What has a schema is read into a new object, so that the live one need not be copied first.
  const isShownAsStored = served === resource.storage && served.down === undefined && expected.type.open === undefined;
  let from: PatchSource | undefined;
  return {
    mayCreate: false,
    apply(live, options) {
      if (live === undefined) throw new Error('only an apply makes objects');
      from ??= { mechanism, patch: readJson(body) };
      const document = isShownAsStored ? live : toServed(served, cloneJson(live));
      const patched = CHANGES[from.mechanism](expected.type, document, from.patch);
      if (expected.type.open === undefined && from.mechanism !== 'strategic') insistOnVersion(context, patched);
      const next = toStorage(context, readPatched(expected, patched, from));
      return trackWrite(context, { ...options, forgetsOwners: resource.kind.isCustom !== true && hasEmptiedOwners(patched) }, next, live);
    },
  };
}

/** What says of no version that it is of it is read as nothing: not even its name is found. Throws `BadRequest`. */
function insistOnVersion(context: VerbContext, patched: unknown): void {
  if (!isJsonObject(patched)) return;
  const said = memberOf(patched, 'apiVersion');
  if (said === undefined || said === null || said === '') throw nameless(context);
}

/**
 * A patch names what it empties, and so it is meant; in a whole object an empty list may just be what a client makes of none (R4.9-24).
 * Custom resources know no empty list of owners.
 */
function hasEmptiedOwners(patched: unknown): boolean {
  const metadata = isJsonObject(patched) ? patched['metadata'] : undefined;
  const owners = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(owners) && owners.length === 0;
}

/** A patch document and how it is meant. */
export interface PatchSource {
  readonly mechanism: ChangeMechanism;
  readonly patch: unknown;
}

/** The result of a patch as an object in normal form. Throws `Invalid` where it is none. */
export function readPatched(expected: Expected, patched: unknown, from: PatchSource): ApiObject {
  try {
    return decodeBody(expected, isJsonObject(patched) ? { ...patched } : patched, NOTHING);
  } catch (cause) {
    if (!(cause instanceof ApiError && cause.reason === 'BadRequest')) throw cause;
    const at = new FieldErrors();
    MISFITS[from.mechanism](at.child('patch'), from.patch, patched, cause);
    throw invalid({ group: '', kind: '' }, '', at.causes);
  }
}

/** There are no bytes to show in a message. */
const NOTHING = new Uint8Array(0);

type TellMisfit = (at: FieldErrors, patch: unknown, patched: unknown, failure: ApiError) => void;

const blameResult: TellMisfit = (at, _patch, patched, failure) => at.invalid(canonicalJson(patched), misfitOf(failure)?.wireText ?? failure.message);

/** What is said where a patch can be applied, but what comes out is no object of the kind: the patch is to blame, or what it made. */
const MISFITS: Readonly<Record<ChangeMechanism, TellMisfit>> = {
  json: blameResult,
  merge: blameResult,
  strategic: (at, patch, _patched, failure) => at.invalid(goPlain(patch), misfitOf(failure)?.mergedText ?? failure.message),
};

const misfitOf = ({ cause }: ApiError): DecodeFailure | undefined => (cause instanceof DecodeFailure ? cause : undefined);

function prepareApply(context: VerbContext, body: Uint8Array): Patch {
  const { route, env } = context;
  let config: { readonly read: unknown } | undefined;
  return {
    mayCreate: true,
    apply(live, options) {
      const asked: AppliedBefore = { body, manager: options.fieldManager, isForced: options.force ?? false, served: route.served, subresource: route.subresource };
      // Who applies the same again and again is answered without finding out again that it changes nothing.
      if (live !== undefined && changedNothing(live, asked)) return cloneJson(live);
      const { read } = (config ??= { read: readConfig(body) });
      const applied = inEachVersion(route.resource, (forms) =>
        applyConfig({
          type: objectTypeOf(route.resource.storage.schema),
          live,
          config: read,
          manager: options.fieldManager,
          isForced: options.force ?? false,
          apiVersion: route.served.apiVersion,
          kind: route.resource.kind.kind,
          subresource: route.subresource,
          nowMs: env.clock.nowMs(),
          defaults: (object) => setDefaults(context, object as ApiObject),
          resetFields: resetFieldsOf(route.resource.kind, route.subresource),
          ...forms,
          lastAppliedAnnotation: env.catalog.brand.names.lastAppliedAnnotation,
        }),
      );
      return when(applied, ({ object, isChanged }) => {
        if (live !== undefined && !isChanged) remember(live, asked);
        return object as unknown as ApiObject;
      });
    },
  };
}

const OPENING_BRACE = 0x7b;

/** JSON is YAML too, and much faster read as what it is; what is no JSON may still be a YAML flow mapping. */
function readFlow(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch {
    return parseYaml(body);
  }
}

/** What an applier has sent, as YAML or JSON. Throws `BadRequest`. */
export function readConfig(body: Uint8Array): unknown {
  const config = readYaml(body);
  if (config === null || config === undefined || isJsonObject(config)) return config;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonType(config)} into Go value of type map[string]interface {}`);
}

function readYaml(body: Uint8Array): unknown {
  try {
    return body[0] === OPENING_BRACE ? readFlow(body) : parseYaml(body);
  } catch (cause) {
    throw badRequest(`error decoding YAML: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

/** A patch document. Throws `BadRequest` where it is no JSON. */
export function readJson(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (cause) {
    throw badRequest(`the patch is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}
