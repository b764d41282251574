import { isTurnLong, jsonText, nextTurn } from '#base';
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
  async find(name: string): Promise<Form | undefined> {
    let form = this.#forms.get(name);
    if (form !== undefined) return form;
    if (isTurnLong()) await nextTurn();
    const value = name === '' ? await this.#list() : this.#document(name);
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
  async #list(): Promise<object> {
    const addresses: [name: string, address: object][] = [];
    for (const name of [...this.#paths.keys()].sort()) {
      const form = await this.find(name);
      addresses.push([name, { serverRelativeURL: `/openapi/v3/${name}?hash=${form?.etag.slice(1, -1) ?? ''}` }]);
    }
    return { paths: Object.fromEntries(addresses) };
  }
}
