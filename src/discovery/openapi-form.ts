import { createHash } from 'node:crypto';
import type { Reply } from '#request';

/** A form of a document, ready to be sent. */
export interface Form {
  readonly contentType: string;
  readonly etag: string;
  readonly body: Uint8Array;
}

export function createForm(contentType: string, body: Uint8Array): Form {
  return { contentType, etag: `"${createHash('sha256').update(body).digest('hex').toUpperCase()}"`, body };
}

/** `ifNoneMatch` as it came, empty when it did not. */
export function replyWith(form: Form, ifNoneMatch: string): Reply {
  const headers = { 'content-type': form.contentType, etag: form.etag, vary: 'Accept' };
  if (ifNoneMatch.split(',').some((tag) => tag.trim() === form.etag)) return { status: 304, headers, body: new Uint8Array() };
  return { status: 200, headers, body: form.body };
}

const JSON_TYPES: readonly string[] = ['application/json', '*/*', 'application/*', ''];

/** Which form an `Accept` header asks for; undefined: neither is acceptable. The first type that is known decides. */
export function formAskedFor(accept: string, protobufTypes: readonly string[]): 'json' | 'protobuf' | undefined {
  for (const clause of accept.split(',', 64)) {
    const type = (clause.split(';', 1)[0] ?? '').trim();
    if (protobufTypes.includes(type)) return 'protobuf';
    if (JSON_TYPES.includes(type)) return 'json';
  }
  return undefined;
}

export const formNotAcceptable = (): Reply => ({ status: 406, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: new Uint8Array() });
