import { isJsonObject, jsonText } from '#base';
import { apiVersionOf, type ApiObject, type ObjectKey, type ObjectMeta, type Propagation } from '#api';
import { collectionPath, objectPath, queryOf, type ApiResource } from './api-resource.ts';
import { orMissing, type Caller } from './call.ts';
import { checkKey, checkObject, checkOptions, checkWord, type OptionTypes } from './given.ts';
import { continueOf, readPages, type List, type ListOptions, type PageReader } from './pages.ts';
import { eachOf, openWatch, type WatchEvent, type WatchOptions } from './watch-stream.ts';

/** An object to send: fields with defaults may be missing. */
export type Draft<T extends ApiObject> = {
  readonly [K in keyof Omit<T, keyof ApiObject>]?: Sketch<T[K]>;
} & { readonly apiVersion?: string; readonly kind?: string; readonly metadata: Partial<ObjectMeta> };

type Sketch<T> = T extends readonly (infer E)[] ? readonly Sketch<E>[] : T extends object ? { readonly [K in keyof T]?: Sketch<T[K]> } : T;

/** Options of every write. */
export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** A subresource: `status`, `scale`, `finalize`. */
  readonly subresource?: string;
}

/** Options of a patch. */
export interface PatchOptions extends WriteOptions {
  /** Take ownership of conflicting fields; for `apply`. */
  readonly force?: boolean;
}

/** The patch type; `apply` is server-side apply. */
export type PatchForm = 'json' | 'merge' | 'strategic' | 'apply';

/** Options of a deletion. Absent: the server's defaults. */
export interface DeleteOptions {
  readonly propagation?: Propagation;
  readonly graceSeconds?: number;
  /** Precondition: the object must have this uid. Rejected with `Conflict` otherwise. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

/** Which objects to delete, and the options of each deletion. Once `signal` aborts no further ones are asked for. */
export type CollectionOptions = DeleteOptions & Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector' | 'signal'>;

/**
 * A client for the objects of one resource. All methods throw `ApiError` for error responses and `TransportFailure` where there is no response.
 * Objects are the server's JSON as it is, unknown fields included, so that writing them back loses nothing.
 */
export interface ResourceClient<T extends ApiObject = ApiObject> {
  readonly resource: ApiResource;
  get(key: Key): Promise<T>;
  /** Gets an object; undefined where it does not exist. */
  find(key: Key): Promise<T | undefined>;
  /** Lists all objects, page by page. Consistent: every page is of the revision of the first. */
  list(options?: ListOptions): Promise<List<T>>;
  pages(options?: ListOptions): AsyncIterable<List<T>>;
  /** Creates an object in the namespace of its metadata. */
  create(object: Draft<T>, options?: WriteOptions): Promise<T>;
  /** Replaces an object. Rejected with `Conflict` when it was changed meanwhile, where it has a resourceVersion. */
  update(object: T, options?: WriteOptions): Promise<T>;
  updateStatus(object: T, options?: Omit<WriteOptions, 'subresource'>): Promise<T>;
  patch(key: Key, form: PatchForm, body: unknown, options?: PatchOptions): Promise<T>;
  delete(key: Key, options?: DeleteOptions): Promise<void>;
  deleteCollection(options?: CollectionOptions): Promise<void>;
  /** Watches until the server ends the stream or the loop is left. Throws `Expired` or `Gone` when the start is compacted. */
  watch(options?: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>;
  /** The same, in the batches that events arrived in. */
  watchBatches(options?: WatchOptions): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
}

/** `namespace` is not needed for kinds without one. */
export type Key = Pick<ObjectKey, 'name'> & Partial<ObjectKey>;

const PATCH_TYPES: Readonly<Record<PatchForm, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const SELECTING: OptionTypes<Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector' | 'signal'>> = {
  namespace: 'string',
  labelSelector: 'string',
  fieldSelector: 'string',
  signal: 'object',
};
const LISTING: OptionTypes<ListOptions> = { ...SELECTING, resourceVersion: 'string', limit: 'number' };
const WATCHING: OptionTypes<WatchOptions> = { ...SELECTING, resourceVersion: 'string', bookmarks: 'boolean', timeoutSeconds: 'number' };
const WRITING: OptionTypes<WriteOptions> = { dryRun: 'boolean', fieldManager: 'string', subresource: 'string' };
const PATCHING: OptionTypes<PatchOptions> = { ...WRITING, force: 'boolean' };
const DELETING: OptionTypes<DeleteOptions> = { propagation: 'string', graceSeconds: 'number', uid: 'string', resourceVersion: 'string', dryRun: 'boolean' };

/** Objects per request: a large collection is deleted in several, so that none takes long. */
const DELETED_AT_ONCE = 100;

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** Media types to accept instead of JSON objects, such as their metadata alone. */
export interface Accept {
  /** For single objects, and those of a watch. */
  readonly one: string;
  readonly list: string;
}

/** What a resource client needs. */
export interface Asking {
  readonly caller: Caller;
  readonly reader: PageReader;
}

/** A client for a resource, with the media types of `accept` where given. */
export function createResourceClient<T extends ApiObject>({ caller, reader }: Asking, resource: ApiResource, accept?: Accept): ResourceClient<T> {
  const headers = accept === undefined ? {} : { accept: accept.one };
  const at = (what: string, key: Key, subresource?: string): string => {
    checkKey(what, resource, key);
    const { namespace = '', name } = key;
    return objectPath(resource, placeOf(namespace, name), name, subresource);
  };
  const placeOf = (namespace: string | undefined, name: string): string => {
    if (resource.isNamespaced && !namespace) throw new Error(`${resource.kind} ${JSON.stringify(name)}: which namespace?`);
    return namespace ?? '';
  };
  const send = async (method: string, path: string, body: unknown, type: Readonly<Record<string, string>> = JSON_TYPE, signal?: AbortSignal): Promise<T> =>
    (await caller.ask({ method, path, headers: type, body: jsonText(body), ...(signal === undefined ? {} : { signal }) })) as T;
  const complete = (object: object): object => ({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...object });
  const keyOf = ({ metadata }: { readonly metadata: Partial<ObjectMeta> }): Key => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
  const listed = (what: string, options: ListOptions = {}): AsyncIterable<List<T>> => {
    checkOptions(what, options, LISTING);
    return readPages<T>(reader, resource, options, accept === undefined ? {} : { accept: accept.list });
  };
  const watched = (what: string, options: WatchOptions = {}): Promise<AsyncIterable<readonly WatchEvent<T>[]>> => {
    checkOptions(what, options, WATCHING);
    return openWatch<T>(caller, resource, options, headers);
  };
  const client: ResourceClient<T> = {
    resource,
    get: async (key) => (await caller.ask({ method: 'GET', path: at('get', key), headers })) as T,
    find: async (key) => orMissing(caller.ask({ method: 'GET', path: at('find', key), headers }) as Promise<T>),
    pages: (options) => listed('pages', options),
    async list(options) {
      const all: T[] = [];
      let resourceVersion = '';
      for await (const page of listed('list', options)) {
        for (const item of page.items) all.push(item);
        resourceVersion = page.resourceVersion;
      }
      return { items: all, resourceVersion };
    },
    async create(object, options = {}) {
      checkObject('create', resource, object);
      checkOptions('create', options, WRITING);
      const { name = '', namespace } = object.metadata;
      const place = placeOf(namespace, name);
      const path = options.subresource === undefined ? collectionPath(resource, place) : objectPath(resource, place, name, options.subresource);
      return send('POST', path + writeQuery(options), complete(object));
    },
    async update(object, options = {}) {
      checkObject('update', resource, object);
      checkOptions('update', options, WRITING);
      return send('PUT', at('update', keyOf(object), options.subresource) + writeQuery(options), complete(object));
    },
    async updateStatus(object, options = {}) {
      checkObject('updateStatus', resource, object);
      checkOptions('updateStatus', options, WRITING);
      return client.update(object, { ...options, subresource: 'status' });
    },
    async patch(key, form, body, options = {}) {
      checkWord('the form of patch', form, Object.keys(PATCH_TYPES));
      checkOptions('patch', options, PATCHING);
      const sent = form === 'apply' && isJsonObject(body) ? complete(body) : body;
      return send('PATCH', at('patch', key, options.subresource) + writeQuery(options), sent, { 'content-type': PATCH_TYPES[form] });
    },
    async delete(key, options = {}) {
      checkOptions('delete', options, DELETING);
      await send('DELETE', at('delete', key), deleteBody(options));
    },
    async deleteCollection(given = {}) {
      checkOptions('deleteCollection', given, { ...DELETING, ...SELECTING });
      const { namespace, labelSelector, fieldSelector, signal, ...options } = given;
      const path = collectionPath(resource, namespace);
      let next: string | undefined;
      do {
        const query = queryOf({ labelSelector, fieldSelector, limit: DELETED_AT_ONCE, continue: next });
        const answer: unknown = await send('DELETE', path + query, deleteBody(options), JSON_TYPE, signal);
        next = continueOf(answer);
      } while (next !== undefined);
    },
    watch: async (options) => eachOf(await watched('watch', options)),
    watchBatches: async (options) => watched('watchBatches', options),
  };
  return client;
}

const writeQuery = ({ dryRun, fieldManager, force }: PatchOptions): string => queryOf({ dryRun: dryRun === true ? 'All' : undefined, fieldManager, force });

function deleteBody({ propagation, graceSeconds, uid, resourceVersion, dryRun }: DeleteOptions): object {
  const hasPreconditions = uid !== undefined || resourceVersion !== undefined;
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    ...(hasPreconditions ? { preconditions: { uid, resourceVersion } } : {}),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}
