import { isJsonObject, isTexts, jsonText, memberOf, textAt, type JsonObject } from '#base';
import type { ApiObject, Brand } from '#api';
import { OutsideFailure } from '#errors';
import type { ReviewVersion } from '#kinds';
import { bytesScalar } from '#schema';
import { misnamedReview } from '#transport';
import type { AdmissionRequest } from '../plugin.ts';
import type { Candidate } from './hook-index.ts';
import { formOf } from './form.ts';

/** The objects of a review, in the form that the webhook receives. */
export interface ReviewedObjects {
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** The identity of a review: the response must have the same `uid`, in the same version. */
interface ReviewHead {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly brand: Brand;
}

/** Makes the AdmissionReview to send. @spec 4.11 */
export function makeReview({ uid, version, brand }: ReviewHead, { form }: Candidate, request: Readonly<AdmissionRequest>, shown: ReviewedObjects): object {
  const { user, subresource, name, namespace } = request;
  const asked = formOf(request.resource, request.served, subresource, brand);
  return {
    kind: 'AdmissionReview',
    apiVersion: `${brand.group('admission')}/${version}`,
    request: {
      uid,
      kind: form.gvk,
      resource: form.gvr,
      ...(subresource === '' ? {} : { subResource: subresource }),
      requestKind: asked.gvk,
      requestResource: asked.gvr,
      ...(subresource === '' ? {} : { requestSubResource: subresource }),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation: request.operation,
      userInfo: {
        ...(user.name === '' ? {} : { username: user.name }),
        ...(user.uid === undefined || user.uid === '' ? {} : { uid: user.uid }),
        ...(user.groups.length === 0 ? {} : { groups: user.groups }),
        ...(user.extra === undefined ? {} : { extra: user.extra }),
      },
      object: shown.object ?? null,
      oldObject: shown.oldObject ?? null,
      dryRun: request.dryRun,
      options: request.options ?? null,
    },
  };
}

/** The response of a webhook. */
export interface ReviewAnswer {
  readonly isAllowed: boolean;
  /** The Status, as the webhook sent it. */
  readonly status: JsonObject | undefined;
  /** Its JSON patch as it was sent, to be read where the request is allowed; empty: there is none. */
  readonly patch: Uint8Array;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

export interface Expected {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly isMutating: boolean;
  readonly brand: Brand;
}

/** An invalid response. Clients see the message. */
export class BadAnswer extends OutsideFailure {
  override readonly name = 'BadAnswer';
}

/** More warnings or annotations than this are ignored. */
const MAX_TEXTS = 64;

/** Reads the response of a webhook. Throws `BadAnswer`. */
export function readAnswer(answer: unknown, expected: Expected): ReviewAnswer {
  const { version, isMutating } = expected;
  const response = isJsonObject(answer) ? memberOf(answer, 'response') : undefined;
  if (!isJsonObject(answer) || !isJsonObject(response)) throw new BadAnswer('webhook response was absent');
  checkIdentity(answer, response, expected);
  if (isMutating) checkPatchType(response, version);
  else refusePatch(response, version);
  return {
    isAllowed: booleanOf(response, 'allowed'),
    status: objectOf(response, 'status'),
    patch: isMutating ? patchBytes(memberOf(response, 'patch')) : NO_PATCH,
    warnings: listOf(memberOf(response, 'warnings'), 'warnings').slice(0, MAX_TEXTS),
    auditAnnotations: annotationsOf(objectOf(response, 'auditAnnotations')),
  };
}

/** In `v1beta1` the response may leave out what it is, and the uid; what it says of its kind must be right. */
function checkIdentity(answer: JsonObject, response: JsonObject, { uid, version, brand }: Expected): void {
  const given = memberOf(response, 'uid');
  if (version === 'v1' && given !== uid) throw new BadAnswer(`expected response.uid=${JSON.stringify(uid)}, got ${jsonText(given ?? '')}`);
  const found = { apiVersion: textAt(answer, 'apiVersion'), kind: textAt(answer, 'kind') };
  const misnamed = misnamedReview(found, { apiVersion: `${brand.group('admission')}/${version}`, kind: 'AdmissionReview' }, version === 'v1beta1');
  if (misnamed !== undefined) throw new BadAnswer(misnamed);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** `v1beta1` has no rules about the patch type. */
function checkPatchType(response: JsonObject, version: ReviewVersion): void {
  if (version === 'v1beta1') return;
  const [patch, type] = [memberOf(response, 'patch'), memberOf(response, 'patchType')];
  if (type === '') throw new BadAnswer('webhook returned invalid response.patchType of ""');
  if (isGiven(patch) && !isGiven(type)) throw new BadAnswer('webhook returned response.patch but not response.patchType');
  if (!isGiven(patch) && isGiven(type)) throw new BadAnswer('webhook returned response.patchType but not response.patch');
  // Whoever refuses the request wants no change: whatever type that would have, the refusal counts.
  const isAllowed = memberOf(response, 'allowed') === true;
  if (isAllowed && isGiven(type) && type !== 'JSONPatch') throw new BadAnswer(`unsupported patch type ${jsonText(type)}, JSONPatch is the only one`);
}

function refusePatch(response: JsonObject, version: ReviewVersion): void {
  if (version === 'v1beta1') return;
  if (isGiven(memberOf(response, 'patch'))) throw new BadAnswer('validating webhook may not return response.patch');
  const type = memberOf(response, 'patchType');
  if (type !== undefined && type !== null) throw new BadAnswer('validating webhook may not return response.patchType');
}

const NO_PATCH = new Uint8Array(0);

function patchBytes(patch: unknown): Uint8Array {
  if (!isGiven(patch)) return NO_PATCH;
  const text = bytesScalar.read(patch);
  if (text === undefined) throw new BadAnswer('response.patch is not base64');
  return Buffer.from(text, 'base64');
}

function booleanOf(from: JsonObject, name: string): boolean {
  const value = memberOf(from, name) ?? false;
  if (typeof value !== 'boolean') throw new BadAnswer(`response.${name} must be true or false`);
  return value;
}

function objectOf(from: JsonObject, name: string): JsonObject | undefined {
  const value = memberOf(from, name) ?? undefined;
  if (value !== undefined && !isJsonObject(value)) throw new BadAnswer(`response.${name} must be an object`);
  return value;
}

function listOf(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!isTexts(value)) throw new BadAnswer(`response.${name} must be a list of texts`);
  return value;
}

function annotationsOf(given: JsonObject | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(given ?? {}).slice(0, MAX_TEXTS);
  if (!entries.every(([, value]) => typeof value === 'string')) throw new BadAnswer('response.auditAnnotations must be a map of texts');
  return Object.fromEntries(entries) as Record<string, string>;
}
