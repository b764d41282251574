import { brandOf, type ApiObject, type Brand, type Dialect, type KindDefinition } from '#api';
import type { HttpRequest } from '#transport';
import { resourceOf, type ApiResource } from './api-resource.ts';
import { createCaller, type ApiAnswer } from './call.ts';
import { discover, type Discovered } from './discover.ts';
import type { Exchange } from './exchange.ts';
import { PageReader, type Paging } from './pages.ts';
import { createResourceClient, type Accept, type ResourceClient } from './resource.ts';

/** How a client speaks to its server. */
export interface ClientOptions {
  /** How the server spells product names. Default `kubernetes`. */
  readonly dialect?: Dialect;
  /** Whom the server records as the author of what this client writes: what stands before `/`. */
  readonly userAgent?: string;
  readonly pages?: Paging;
}

/**
 * A client of an API server: this one or any other that speaks the Kubernetes API.
 *
 *     const client = createClient(await exchangeKubeconfig('./kubeconfig'));
 *     const pods = await client.of(Pod).list({ namespace: 'default' });
 */
export interface Client {
  readonly brand: Brand;
  /** The objects of a kind whose declaration is known, typed by it. */
  of<T extends ApiObject>(kind: KindDefinition<T>): ResourceClient<T>;
  /** The objects of any resource the server has. */
  at(resource: ApiResource): ResourceClient;
  /** The same, reading nothing but `metadata`. For controllers that look at every kind. */
  metadataAt(resource: ApiResource): ResourceClient;
  /** What the server has, in the preferred version of each group; or what one version has (`v1`, `apps/v1`). */
  discover(apiVersion?: string): Promise<Discovered>;
  /** Any other call with a JSON answer. Throws `ApiError` for refusals and `TransportFailure` where there is no answer. */
  ask(request: HttpRequest): Promise<unknown>;
  /** The same with the status of the answer. */
  answer(request: HttpRequest): Promise<ApiAnswer>;
  /** The values of any other stream of JSON lines, those together that came together. Leaving the loop ends the stream. Throws as `ask` does. */
  follow(request: HttpRequest): Promise<AsyncIterable<readonly unknown[]>>;
  close(): void;
}

/** A client over an exchange, which `close` ends. Opens nothing before the first call. */
export function createClient(exchange: Exchange, { dialect = 'kubernetes', userAgent = 'orch-client', pages }: ClientOptions = {}): Client {
  const brand = brandOf(dialect);
  const caller = createCaller(exchange, { 'user-agent': userAgent });
  const asking = { caller, reader: new PageReader(caller, pages) };
  const only = (form: string): string => `application/json;as=${form};g=${brand.group('meta')};v=v1`;
  const metadata: Accept = { one: only('PartialObjectMetadata'), list: only('PartialObjectMetadataList') };
  return {
    brand,
    of: <T extends ApiObject>(kind: KindDefinition<T>) => createResourceClient<T>(asking, resourceOf(kind, brand)),
    at: (resource) => createResourceClient(asking, resource),
    metadataAt: (resource) => createResourceClient(asking, resource, metadata),
    discover: (apiVersion) => discover(caller, apiVersion),
    ...caller,
    close: () => exchange.close(),
  };
}
