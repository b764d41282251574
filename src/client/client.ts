import { brandOf, DIALECTS, type ApiObject, type Brand, type Dialect, type KindDefinition } from '#api';
import type { HttpRequest } from '#transport';
import { resourceOf, type ApiResource } from './api-resource.ts';
import { createCaller, type ApiAnswer } from './call.ts';
import { discover, discoverGroup, type Discovered } from './discover.ts';
import type { Exchange } from './exchange.ts';
import { checkFunctions, checkKind, checkOptions, checkResource, checkWord } from './given.ts';
import { PageReader, type Paging } from './pages.ts';
import { createResourceClient, type Accept, type ResourceClient } from './resource.ts';

/** Options of a client. */
export interface ClientOptions {
  /** How the server spells product names. Default `kubernetes`. */
  readonly dialect?: Dialect;
  /** The user agent; the server takes the part before `/` as the field manager of writes. */
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
  /** A typed client for the objects of a declared kind. */
  of<T extends ApiObject>(kind: KindDefinition<T>): ResourceClient<T>;
  /** A client for the objects of any resource of the server. */
  at(resource: ApiResource): ResourceClient;
  /** The same, reading only `metadata` where the server can leave out the rest, for controllers that follow every kind. */
  metadataAt(resource: ApiResource): ResourceClient;
  /** The resources of the server, in the preferred version of each group, or those of one version (`v1`, `apps/v1`). */
  discover(apiVersion?: string): Promise<Discovered>;
  /** The resources of one group (`apps`; `''` is the core group), in its preferred version. None: the group is absent. */
  discoverGroup(group: string): Promise<Discovered>;
  /** Any other call with a JSON response. Throws `ApiError` for error responses and `TransportFailure` where there is none. */
  ask(request: HttpRequest): Promise<unknown>;
  /** The same, with the status code. */
  answer(request: HttpRequest): Promise<ApiAnswer>;
  /** The values of any other stream of JSON lines, in the batches they arrived in. Leaving the loop closes the stream. Throws as `ask` does. */
  follow(request: HttpRequest): Promise<AsyncIterable<readonly unknown[]>>;
  close(): void;
}

/** A client over an exchange, which `close` ends. Opens nothing before the first call. */
export function createClient(exchange: Exchange, options: ClientOptions = {}): Client {
  checkFunctions('createClient', exchange, ['request', 'stream', 'close'], 'an exchange, as exchangeLocal(server.exchange), exchangeHttp(connection) or await exchangeKubeconfig(path) give it');
  checkOptions('createClient', options, { dialect: 'string', userAgent: 'string', pages: 'object' });
  const { dialect = 'kubernetes', userAgent = 'orch-client', pages } = options;
  checkWord('option dialect of createClient', dialect, DIALECTS);
  const brand = brandOf(dialect);
  const caller = createCaller(exchange, { 'user-agent': userAgent });
  const asking = { caller, reader: new PageReader(caller, pages) };
  // An aggregated server may know nothing of such forms.
  const only = (form: string): string => `application/json;as=${form};g=${brand.group('meta')};v=v1,application/json`;
  const metadata: Accept = { one: only('PartialObjectMetadata'), list: only('PartialObjectMetadataList') };
  return {
    brand,
    of: <T extends ApiObject>(kind: KindDefinition<T>) => {
      checkKind('of', kind);
      return createResourceClient<T>(asking, resourceOf(kind, brand));
    },
    at(resource) {
      checkResource('at', resource);
      return createResourceClient(asking, resource);
    },
    metadataAt(resource) {
      checkResource('metadataAt', resource);
      return createResourceClient(asking, resource, metadata);
    },
    discover: (apiVersion) => discover(caller, apiVersion),
    discoverGroup: (group) => discoverGroup(caller, group),
    ...caller,
    close: () => exchange.close(),
  };
}
