import type { Catalog } from '#api';
import { isJsonObject, jsonText } from '#base';
import type { Reply } from '#request';
import type { OpenapiVersion } from '#schema';
import { mapInTurns } from './map-in-turns.ts';
import { mergeOpenapi, type OpenapiSource } from './merge-openapi.ts';
import { withoutDefaults } from './openapi-defaults.ts';
import type { DescribeSchema } from './openapi-descriptions.ts';
import { createForm, formAskedFor, formNotAcceptable, replyWith, type Form } from './openapi-form.ts';
import { encodeOpenapiV2 } from './openapi-v2-protobuf.ts';
import { buildOpenapiV2, type OpenapiV2 } from './openapi-v2.ts';
import { OpenapiV3Forms } from './openapi-v3-forms.ts';

/** What the replies of one state of the server are made of, each made once. */
interface Forms {
  readonly json: Form;
  readonly protobuf: Form;
  readonly v3: OpenapiV3Forms;
}
type Made = { [K in keyof Forms]?: Promise<Forms[K]> };

const PROTOBUF_TYPES: readonly string[] = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
];

/**
 * Serves `/openapi/v2` and `/openapi/v3`, built on first use and again after a change of the served resources: in many turns of the event loop, as there
 * may be a thousand definitions.
 */
export class OpenapiReplies {
  readonly #catalog: Catalog;
  readonly #describe: DescribeSchema;
  readonly #sources: () => readonly OpenapiSource[];
  #resources: Catalog['resources'] | undefined;
  #mergedFrom: readonly OpenapiSource[] | undefined;
  #made: Made = {};
  #making: Promise<unknown> = Promise.resolve();

  constructor(catalog: Catalog, describe: DescribeSchema, sources: () => readonly OpenapiSource[]) {
    this.#catalog = catalog;
    this.#sources = sources;
    this.#describe = describe;
  }

  /** Replies with v2. `accept` and `ifNoneMatch`: header values, empty when absent. */
  async reply(accept: string, ifNoneMatch: string): Promise<Reply> {
    const asked = formAskedFor(accept, PROTOBUF_TYPES);
    if (asked === undefined) return formNotAcceptable();
    return replyWith(await this.#once(asked, asked === 'protobuf' ? this.#protobuf : this.#json), ifNoneMatch);
  }

  /** Replies with v3, which has no protobuf form. `name`: of a document, empty for their list. undefined: no such document. */
  async replyV3(name: string, accept: string, ifNoneMatch: string): Promise<Reply | undefined> {
    const forms = await this.#once('v3', async () => new OpenapiV3Forms(await this.#build('v3')));
    const form = await forms.find(name);
    if (form === undefined) return undefined;
    return formAskedFor(accept, []) === undefined ? formNotAcceptable() : replyWith(form, ifNoneMatch);
  }

  /** What is made is shared by all who ask meanwhile and later; what failed is made again. One after another: each takes much memory meanwhile. */
  #once<K extends keyof Forms>(name: K, make: () => Promise<Forms[K]>): Promise<Forms[K]> {
    const all = this.#current();
    const known: Promise<Forms[K]> | undefined = all[name];
    if (known !== undefined) return known;
    const made = this.#making.then(make);
    this.#making = made.catch(() => delete all[name]);
    all[name] = made as Made[K];
    return made;
  }

  #current(): Made {
    const { resources } = this.#catalog;
    const sources = this.#sources();
    if (this.#resources !== resources || this.#mergedFrom !== sources) {
      this.#resources = resources;
      this.#mergedFrom = sources;
      this.#made = {};
    }
    return this.#made;
  }

  /** Also the source of v3, so it includes defaults. */
  async #build(version: OpenapiVersion): Promise<OpenapiV2> {
    const { brand, resources } = this.#catalog;
    const sources = this.#mergedFrom ?? [];
    return mergeOpenapi(await buildOpenapiV2({ brand, resources }, this.#describe, version), sources);
  }

  async #buildV2(): Promise<OpenapiV2> {
    const document = await this.#build('v2');
    return { ...document, definitions: await withoutDefaults(document.definitions) };
  }

  /** The JSON form, with the media type that kube-apiserver has always sent here. */
  readonly #json = async (): Promise<Form> => createForm('text/plain; charset=utf-8', new TextEncoder().encode(await documentText(await this.#buildV2())));

  readonly #protobuf = async (): Promise<Form> => createForm('application/octet-stream', await encodeOpenapiV2(await this.#buildV2()));
}

/** The document as JSON, its long tables in as many turns of the event loop as it takes. */
async function documentText(document: OpenapiV2): Promise<string> {
  const members: string[] = [];
  for (const [name, member] of Object.entries(document)) {
    const text = isJsonObject(member) ? tableText(await mapInTurns(member, jsonText)) : jsonText(member);
    members.push(`${jsonText(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

const tableText = (members: Readonly<Record<string, string>>): string =>
  `{${Object.entries(members)
    .map(([name, text]) => `${jsonText(name)}:${text}`)
    .join(',')}}`;
