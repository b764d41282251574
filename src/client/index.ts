export type { Clock, Log } from '#base';
export { apiVersionOf, resourceName, type ApiObject, type Dialect, type ObjectKey, type Propagation } from '#api';
export { TransportFailure, type Connection, type HttpAnswer, type HttpRequest, type TransportFailureCode } from '#transport';
export { collectionPath, objectPath, queryOf, resourceOf, type ApiResource } from './api-resource.ts';
export { isRefusal } from '#errors';
export { backoffMs } from './backoff.ts';
export { orMissing, statusError, type ApiAnswer } from './call.ts';
export { createClient, type Client, type ClientOptions } from './client.ts';
export {
  createControllerEnv,
  runControllers,
  source,
  startController,
  withoutManagedFields,
  type Controller,
  type ControllerEnv,
  type EnvOptions,
  type KeepOf,
  type Running,
  type RunOptions,
  type Source,
} from './controller.ts';
export type { Discovered, DiscoveryFailure } from './discover.ts';
export type { Exchange } from './exchange.ts';
export { exchangeHttp, exchangeKubeconfig } from './exchange-http.ts';
export { exchangeLocal } from './exchange-local.ts';
export { formatKey, keyOf, parseKey, type WordsOf } from './indexer.ts';
export { openInformer, type Informer, type InformerOptions, type Listener } from './informer.ts';
export { runForLeader, type Candidate } from './leader-election.ts';
export type { List, ListOptions, Paging } from './pages.ts';
export { WorkQueue, type QueueObserver, type Work, type WorkQueueOptions } from './queue.ts';
export { openReflector, type Mirror, type Reflector, type ReflectorOptions } from './reflector.ts';
export type { CollectionOptions, DeleteOptions, Draft, Key, PatchForm, PatchOptions, ResourceClient, WriteOptions } from './resource.ts';
export { wait } from '#base';
export { warnOfFailures } from './warn-of-failures.ts';
export type { WatchEvent, WatchOptions } from './watch-stream.ts';
