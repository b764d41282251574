import { jsonText } from '#base';
import { createForm, type Form } from './openapi-form.ts';
import type { OpenapiV2 } from './openapi-v2.ts';
import { buildOpenapiV3, splitPaths } from './openapi-v3.ts';

/** v3 documents by name, each built on first use. */
export class OpenapiV3Forms {
  readonly #whole: OpenapiV2;
  readonly #paths: ReturnType<typeof splitPaths>;
  readonly #definitions: ReadonlyMap<string, unknown>;
  readonly #forms = new Map<string, Form>();

  constructor(whole: OpenapiV2) {
    this.#whole = whole;
    this.#paths = splitPaths(whole);
    this.#definitions = new Map(Object.entries(whole.definitions));
  }

  /** Finds a document; the list of documents has the empty name. undefined: no such document. */
  find(name: string): Form | undefined {
    let form = this.#forms.get(name);
    if (form !== undefined) return form;
    const value = name === '' ? this.#list() : this.#document(name);
    if (value === undefined) return undefined;
    form = createForm('application/json', new TextEncoder().encode(jsonText(value)));
    this.#forms.set(name, form);
    return form;
  }

  #document(name: string): object | undefined {
    const paths = this.#paths.get(name);
    return paths === undefined ? undefined : buildOpenapiV3(this.#whole, paths, this.#definitions);
  }

  /**
   * The list of documents with their addresses, which contain a content hash: clients cache a document for as long as its address stays the same.
   * Clients read this form; the first release with v3 listed names only.
   */
  #list(): object {
    const addressOf = (name: string): string => `/openapi/v3/${name}?hash=${this.find(name)?.etag.slice(1, -1) ?? ''}`;
    return { paths: Object.fromEntries([...this.#paths.keys()].sort().map((name) => [name, { serverRelativeURL: addressOf(name) }])) };
  }
}
