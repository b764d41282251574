import { isDeepEqual, isJsonObject, memberOf, parseJson, setMember, type JsonObject } from '#base';
import { ApiError, badRequest } from '#errors';
import { DecodeFailure } from '#schema';
import { apiVersionOf, type ApiObject, type Brand } from '#api';
import { jsonPatch } from '#patch';
import type { AdmissionRequest } from '../plugin.ts';
import { asInternalError } from './call-failure.ts';
import { fromWebhookForm, readChanged } from './form.ts';
import type { Candidate } from './hook-index.ts';
import { BadAnswer } from './review.ts';

/** A change that a mutating webhook requests. */
export interface Change {
  /** The operations of a JSON patch, as JSON. */
  readonly patch: Uint8Array;
  /** The object that the webhook received. */
  readonly shown: ApiObject | undefined;
  /** The text appended to the message of a failure. */
  readonly help: () => string;
}

/** What a patch did. */
export interface Changed {
  readonly isChanged: boolean;
  /** The operations that were applied; none: the webhook wanted no change. */
  readonly operations: readonly unknown[];
}

/**
 * Applies the patch of a webhook that allowed the request to its object, in place, and sets defaults again. Rejects with `InternalError` for a patch that
 * cannot be read, does not apply or breaks the object, whatever failurePolicy says; with `BadRequest` where it renames a stored object, or one that
 * the path names.
 */
export async function changeObject(request: AdmissionRequest, candidate: Candidate, { patch, shown, help }: Change, brand: Brand): Promise<Changed> {
  const webhook = `admission webhook ${JSON.stringify(candidate.hook.name)}`;
  const fail = (why: string, cause?: unknown): ApiError => asInternalError(`${webhook} ${why}`, help(), new BadAnswer(why, { cause }));
  const operations = readOperations(patch, fail);
  if (operations.length === 0) return { isChanged: false, operations };
  const before = request.object;
  if (before === undefined || shown === undefined) throw fail('attempted to modify the object, which is not supported for this operation');
  const patched = applyPatch(shown, operations, fail);
  const changed = readPatched(patched, candidate, fail);
  // In normal form: members that nobody knows are no change.
  if (isDeepEqual(changed, shown)) return { isChanged: false, operations };
  // The options of a CONNECT request have no metadata.
  changed.metadata ??= {};
  refuseMove(changed, before, request);
  replaceMembers(before, await fromWebhookForm(changed, before, candidate.form, brand));
  return { isChanged: true, operations };
}

type Fail = (why: string, cause?: unknown) => ApiError;

function readOperations(patch: Uint8Array, fail: Fail): readonly unknown[] {
  if (patch.length === 0) return [];
  let operations: unknown;
  try {
    operations = parseJson(patch);
  } catch (cause) {
    throw fail('sent a patch that is not JSON once it is decoded from base64', cause);
  }
  if (operations === null) return [];
  if (!Array.isArray(operations)) throw fail('sent a patch that is not a list of operations');
  return operations;
}

function applyPatch(shown: ApiObject, patch: readonly unknown[], fail: Fail): unknown {
  try {
    return jsonPatch(shown, patch);
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const { message } = cause.cause instanceof Error ? cause.cause : cause;
    throw fail(`sent a patch that cannot be applied: ${message}`, cause);
  }
}

function readPatched(patched: unknown, { form }: Candidate, fail: Fail): ApiObject {
  const { kind } = form.gvk;
  const apiVersion = apiVersionOf(form.gvk);
  if (!isJsonObject(patched) || memberOf(patched, 'kind') !== kind || memberOf(patched, 'apiVersion') !== apiVersion) {
    throw fail(`sent a patch that breaks the object: what it makes is no ${kind} of ${apiVersion}`);
  }
  if (!isJsonObject(memberOf(patched, 'metadata') ?? {})) throw fail('sent a patch that breaks the object: metadata is no object');
  try {
    return readChanged(patched, form);
  } catch (cause) {
    if (!(cause instanceof DecodeFailure)) throw cause;
    throw fail(`sent a patch that breaks the object: ${cause.message}`, cause);
  }
}

/**
 * A stored object keeps its name, and so does a new one that is put or applied under a name: that is where it is stored. Its namespace is checked
 * after all mutating plugins. Throws `BadRequest`.
 */
function refuseMove(changed: ApiObject, before: ApiObject, { operation, subresource, name, nameInPath }: AdmissionRequest): void {
  const isNamed = operation === 'UPDATE' || (subresource === '' && nameInPath !== '');
  if (isNamed && changed.metadata.name !== before.metadata.name) {
    throw badRequest(`the name of the object (${changed.metadata.name ?? ''}) does not match the name on the URL (${name})`);
  }
}

/** Replaces the members in place, since other code holds a reference to the object of the request. */
function replaceMembers(target: ApiObject, source: ApiObject): void {
  const members = target as unknown as JsonObject;
  for (const name of Object.keys(members)) delete members[name];
  for (const [name, value] of Object.entries(source)) setMember(members, name, value);
}
