import type { Catalog } from '#api';
import { jsonText } from '#base';
import type { Reply } from '#request';
import { mergeOpenapi, type OpenapiSource } from './merge-openapi.ts';
import { withoutDefaults } from './openapi-defaults.ts';
import type { DescribeSchema } from './openapi-descriptions.ts';
import { createForm, formAskedFor, formNotAcceptable, replyWith, type Form } from './openapi-form.ts';
import { encodeOpenapiV2 } from './openapi-v2-protobuf.ts';
import { buildOpenapiV2, type OpenapiV2 } from './openapi-v2.ts';
import { OpenapiV3Forms } from './openapi-v3-forms.ts';

interface Forms {
  json?: Form;
  protobuf?: Form;
  v3?: OpenapiV3Forms;
}

const PROTOBUF_TYPES: readonly string[] = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
];

/** Serves `/openapi/v2` and `/openapi/v3`, built on first use and again after a change of the served resources. */
export class OpenapiReplies {
  readonly #catalog: Catalog;
  readonly #describe: DescribeSchema;
  readonly #sources: () => readonly OpenapiSource[];
  #resources: Catalog['resources'] | undefined;
  #mergedFrom: readonly OpenapiSource[] | undefined;
  #forms: Forms = {};

  constructor(catalog: Catalog, describe: DescribeSchema, sources: () => readonly OpenapiSource[]) {
    this.#catalog = catalog;
    this.#sources = sources;
    this.#describe = describe;
  }

  /** Replies with v2. `accept` and `ifNoneMatch`: header values, empty when absent. */
  reply(accept: string, ifNoneMatch: string): Reply {
    const asked = formAskedFor(accept, PROTOBUF_TYPES);
    if (asked === undefined) return formNotAcceptable();
    return replyWith(asked === 'protobuf' ? this.#protobuf() : this.#json(), ifNoneMatch);
  }

  /** Replies with v3, which has no protobuf form. `name`: of a document, empty for their list. undefined: no such document. */
  replyV3(name: string, accept: string, ifNoneMatch: string): Reply | undefined {
    const forms = this.#current();
    forms.v3 ??= new OpenapiV3Forms(this.#build());
    const form = forms.v3.find(name);
    if (form === undefined) return undefined;
    return formAskedFor(accept, []) === undefined ? formNotAcceptable() : replyWith(form, ifNoneMatch);
  }

  #current(): Forms {
    const { resources } = this.#catalog;
    const sources = this.#sources();
    if (this.#resources !== resources || this.#mergedFrom !== sources) {
      this.#resources = resources;
      this.#mergedFrom = sources;
      this.#forms = {};
    }
    return this.#forms;
  }

  /** Also the source of v3, so it includes defaults. */
  readonly #build = (): OpenapiV2 => mergeOpenapi(buildOpenapiV2(this.#catalog, this.#describe), this.#mergedFrom ?? []);

  #buildV2(): OpenapiV2 {
    const document = this.#build();
    return { ...document, definitions: withoutDefaults(document.definitions) };
  }

  /** The JSON form, with the media type that kube-apiserver has always sent here. */
  #json(): Form {
    const forms = this.#current();
    forms.json ??= createForm('text/plain; charset=utf-8', new TextEncoder().encode(jsonText(this.#buildV2())));
    return forms.json;
  }

  #protobuf(): Form {
    const forms = this.#current();
    forms.protobuf ??= createForm('application/octet-stream', encodeOpenapiV2(this.#buildV2()));
    return forms.protobuf;
  }
}
