import { jsonText } from '#codec';
import { createForm, type Form } from './openapi-form.ts';
import type { OpenapiV2 } from './openapi-v2.ts';
import { buildOpenapiV3, splitPaths } from './openapi-v3.ts';

/** Documents of version 3 by name, each made when it is first asked for. */
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

  /** The list of documents has an empty name. undefined: there is no such document. */
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
   * Where each document is, with a hash of what it says: clients keep a document for as long as its address stays. This is the form that
   * clients read; that of the first release with a version 3 had names only.
   */
  #list(): object {
    const addressOf = (name: string): string => `/openapi/v3/${name}?hash=${this.find(name)?.etag.slice(1, -1) ?? ''}`;
    return { paths: Object.fromEntries([...this.#paths.keys()].sort().map((name) => [name, { serverRelativeURL: addressOf(name) }])) };
  }
}
