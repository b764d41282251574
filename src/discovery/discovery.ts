import type { Catalog } from '#api';
import { jsonText, pretty } from '#base';
import { createJsonCodec, createProtobufCodec, createYamlCodec, indented, isRoutable, negotiate, OFFERS, type Codec, type Negotiated } from '#codec';
import { methodNotAllowed, notAcceptable } from '#errors';
import { wantsPretty, type Received, type Reply } from '#request';
import { buildDocuments, type Document } from './documents.ts';
import { withoutEndSlashes } from './end-slashes.ts';
import type { PlacedVersion } from './groups.ts';

export interface DiscoveryOptions {
  /** Paths that `/` lists beside those of the API. */
  readonly otherPaths?: readonly string[];
  /** Host and port published to external clients. Default: those of the request. */
  readonly serverAddress?: string;
  /** Priorities of groups and versions, those of aggregated servers included; a new array after every change. Default: the built-in ones. */
  readonly placed?: () => readonly PlacedVersion[];
}

const OTHER_PATHS: readonly string[] = ['/.well-known/openid-configuration', '/healthz', '/livez', '/openapi/v2', '/openid/v1/jwks', '/readyz', '/version'];

const ONLY_JSON: readonly string[] = ['application/json'];

type Request = Pick<Received, 'method' | 'headers' | 'query'> & { readonly info: { readonly path: string } };

/**
 * Serves discovery: `/api`, `/apis` and below them, `/version`, and the list of paths at `/`. Documents are built on first use and cached
 * until `catalog.resources`, or what the options return, is another array. undefined: another path. The returned function throws `MethodNotAllowed`
 * and `NotAcceptable`.
 * @spec 4.1
 */
export function createDiscovery(catalog: Catalog, options: DiscoveryOptions = {}): (request: Request) => Reply | undefined {
  const protobuf = createProtobufCodec(catalog.brand);
  const yaml = createYamlCodec(createJsonCodec());
  const answers = new AnswerCache(catalog, options.otherPaths ?? OTHER_PATHS, options.placed ?? (() => NOTHING), { protobuf, yaml });
  return (request) => {
    const asked = request.info.path;
    const path = asked === '/index.html' ? '/' : withoutEndSlashes(asked);
    return answers.answer(path, request, options.serverAddress ?? (header(request, 'host') || 'localhost'));
  };
}

const NOTHING: readonly never[] = [];

const header = ({ headers }: Request, name: string): string => headers.get(name)?.[0] ?? '';

interface Codecs {
  readonly protobuf: Codec;
  readonly yaml: Codec;
}

class AnswerCache {
  readonly #catalog: Catalog;
  readonly #otherPaths: readonly string[];
  readonly #codecs: Codecs;
  readonly #placed: () => readonly PlacedVersion[];
  #builtWith: readonly PlacedVersion[] = NOTHING;
  #resources: Catalog['resources'] | undefined;
  #makers: ReturnType<typeof buildDocuments> = new Map();
  readonly #documents = new Map<string, Document>();
  readonly #replies = new Map<string, Reply>();

  constructor(catalog: Catalog, otherPaths: readonly string[], placed: () => readonly PlacedVersion[], codecs: Codecs) {
    this.#catalog = catalog;
    this.#placed = placed;
    this.#otherPaths = otherPaths;
    this.#codecs = codecs;
  }

  answer(path: string, request: Request, address: string): Reply | undefined {
    this.#refresh();
    const document = this.#document(path, address);
    if (document === undefined) return undefined;
    if (document.isRouted && request.method !== 'GET') throw methodNotAllowed();
    const { codec: format, pretty: isPretty } = this.#negotiate(document, request);
    if (document.isPerCaller === true) return this.#encode(document, format, isPretty);
    const key = `${isPretty === true ? 'pretty ' : ''}${format} ${path}`;
    let reply = this.#replies.get(key);
    if (reply === undefined) this.#replies.set(key, (reply = this.#encode(document, format, isPretty)));
    return reply;
  }

  #refresh(): void {
    const { resources } = this.#catalog;
    const placed = this.#placed();
    if (this.#resources === resources && this.#builtWith === placed) return;
    this.#resources = resources;
    this.#builtWith = placed;
    this.#makers = buildDocuments(this.#catalog, this.#otherPaths, placed);
    this.#documents.clear();
    this.#replies.clear();
  }

  #document(path: string, address: string): Document | undefined {
    const kept = this.#documents.get(path);
    if (kept !== undefined) return kept;
    const document = this.#makers.get(path)?.(address);
    if (document !== undefined && document.isPerCaller !== true) this.#documents.set(path, document);
    return document;
  }

  /** Documents without protobuf are JSON whatever is accepted, indented for people; `/version` exists only for clients that accept JSON. */
  #negotiate(document: Document, request: Request): Negotiated {
    const accept = header(request, 'accept');
    if (document.protobuf === undefined) {
      if (document.isRouted && !isRoutable(accept, ONLY_JSON)) throw notAcceptable(ONLY_JSON);
      return { codec: 'json', pretty: true };
    }
    const negotiated = negotiate(accept, document.isRouted ? OFFERS.routedPlain : OFFERS.plain, this.#catalog.brand);
    return indented(negotiated, wantsPretty(request));
  }

  #encode({ value, protobuf }: Document, format: Negotiated['codec'], isPretty = false): Reply {
    if (format === 'json' || protobuf === undefined) return json(value, isPretty);
    const codec = this.#codecs[format];
    const object = format === 'protobuf' ? { apiVersion: '', kind: '', ...(protobuf.value ?? value) } : { ...value };
    const body = codec.encode(protobuf.type, object as { apiVersion: string; kind: string });
    return { status: 200, headers: { 'content-type': codec.mediaType }, body };
  }
}

const encoder = new TextEncoder();

function json(value: object, isPretty: boolean): Reply {
  const body = encoder.encode(`${jsonText(value)}\n`);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: isPretty ? pretty(body) : body };
}
