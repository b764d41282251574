import { createHash } from 'node:crypto';
import { parseAccept } from '#codec';
import type { Reply } from '#request';

/** A serialized document, ready to send. */
export interface Form {
  readonly contentType: string;
  readonly etag: string;
  readonly body: Uint8Array;
}

/** A serialized document; its ETag is a hash of the bytes. */
export function createForm(contentType: string, body: Uint8Array): Form {
  return { contentType, etag: `"${createHash('sha256').update(body).digest('hex').toUpperCase()}"`, body };
}

/** Replies with the document, or 304. `ifNoneMatch`: the header's value, empty when absent. */
export function replyWith(form: Form, ifNoneMatch: string): Reply {
  const headers = { 'content-type': form.contentType, etag: form.etag, vary: 'Accept' };
  if (ifNoneMatch.split(',').some((tag) => isSame(tag.trim(), form.etag))) return { status: 304, headers, body: new Uint8Array() };
  return { status: 200, headers, body: form.body };
}

const isSame = (tag: string, etag: string): boolean => tag === '*' || tag === etag || tag === `W/${etag}`;

/** The format that an `Accept` header selects; undefined: none is acceptable. Wildcards select JSON. */
export function formAskedFor(accept: string, protobufTypes: readonly string[]): 'json' | 'protobuf' | undefined {
  for (const { type, subtype } of parseAccept(accept || '*/*')) {
    if (type !== 'application' && type !== '*') continue;
    if (subtype === 'json' || subtype === '*') return 'json';
    if (protobufTypes.includes(`application/${subtype}`)) return 'protobuf';
  }
  return undefined;
}

export const formNotAcceptable = (): Reply => ({ status: 406, headers: { vary: 'Accept' }, body: new Uint8Array() });
