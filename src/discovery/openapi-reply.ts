import { createHash } from 'node:crypto';
import type { Catalog } from '#api';
import { jsonText } from '#codec';
import type { Reply } from '#request';
import { mergeOpenapi, type OpenapiSource } from './merge-openapi.ts';
import type { DescribeSchema } from './openapi-descriptions.ts';
import { encodeOpenapiV2 } from './openapi-v2-protobuf.ts';
import { buildOpenapiV2, type OpenapiV2 } from './openapi-v2.ts';

/** A form of the document, ready to be sent. */
interface Form {
  readonly contentType: string;
  readonly etag: string;
  readonly body: Uint8Array;
}

const PROTOBUF_TYPES: readonly string[] = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
];
const JSON_TYPES: readonly string[] = ['application/json', '*/*', 'application/*', ''];

/** `/openapi/v2`, built when it is first asked for and again when what is served has changed. */
export class OpenapiReplies {
  readonly #catalog: Catalog;
  readonly #describe: DescribeSchema;
  readonly #sources: () => readonly OpenapiSource[];
  #resources: Catalog['resources'] | undefined;
  #mergedFrom: readonly OpenapiSource[] | undefined;
  #forms: { json?: Form; protobuf?: Form } = {};

  constructor(catalog: Catalog, describe: DescribeSchema, sources: () => readonly OpenapiSource[]) {
    this.#catalog = catalog;
    this.#sources = sources;
    this.#describe = describe;
  }

  /** `accept` and `ifNoneMatch` as they came, empty when they did not. */
  reply(accept: string, ifNoneMatch: string): Reply {
    const isProtobuf = asksForProtobuf(accept);
    if (isProtobuf === undefined) return notAcceptable();
    const form = isProtobuf ? this.#protobuf() : this.#json();
    const headers = { 'content-type': form.contentType, etag: form.etag, vary: 'Accept' };
    if (ifNoneMatch.split(',').some((tag) => tag.trim() === form.etag)) return { status: 304, headers, body: new Uint8Array() };
    return { status: 200, headers, body: form.body };
  }

  #current(): { json?: Form; protobuf?: Form } {
    const { resources } = this.#catalog;
    const sources = this.#sources();
    if (this.#resources !== resources || this.#mergedFrom !== sources) {
      this.#resources = resources;
      this.#mergedFrom = sources;
      this.#forms = {};
    }
    return this.#forms;
  }

  readonly #build = (): OpenapiV2 => mergeOpenapi(buildOpenapiV2(this.#catalog, this.#describe), this.#mergedFrom ?? []);

  /** The type is what the API has always said here. */
  #json(): Form {
    const forms = this.#current();
    forms.json ??= createForm('text/plain; charset=utf-8', new TextEncoder().encode(jsonText(this.#build())));
    return forms.json;
  }

  #protobuf(): Form {
    const forms = this.#current();
    forms.protobuf ??= createForm('application/octet-stream', encodeOpenapiV2(this.#build()));
    return forms.protobuf;
  }
}

function createForm(contentType: string, body: Uint8Array): Form {
  return { contentType, etag: `"${createHash('sha256').update(body).digest('hex').toUpperCase()}"`, body };
}

/** undefined: neither form is acceptable. The first type that is known decides. */
function asksForProtobuf(accept: string): boolean | undefined {
  for (const clause of accept.split(',', 64)) {
    const type = (clause.split(';', 1)[0] ?? '').trim();
    if (PROTOBUF_TYPES.includes(type)) return true;
    if (JSON_TYPES.includes(type)) return false;
  }
  return undefined;
}

const notAcceptable = (): Reply => ({ status: 406, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: new Uint8Array() });
