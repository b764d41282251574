import { setMaxListeners } from 'node:events';
import { abortedBy, shownValue, silentLog, stayAlive, systemClock, type Clock, type Log } from '#base';
import type { ApiObject, KindDefinition, ObjectKey } from '#api';
import type { Client } from './client.ts';
import { checkClient, checkFunction, checkKind, checkOptions, checkText, type OptionTypes } from './given.ts';
import { formatKey, keyOf, parseKey } from './indexer.ts';
import { openInformer, type Informer } from './informer.ts';
import { WorkQueue, type QueueObserver } from './queue.ts';
import { warnOfFailures } from './warn-of-failures.ts';

/** The environment of a controller: a client and informers, never the server's internals. */
export interface ControllerEnv {
  readonly client: Client;
  readonly clock: Clock;
  /** Times retries after failures, in real time even where a test advances `clock`. */
  readonly retryClock: Clock;
  readonly log: Log;
  /** Observes the work queues, for metrics. */
  readonly queues?: QueueObserver | undefined;
  /** Aborts to stop the controller. */
  readonly signal: AbortSignal;
  /** An informer of a kind; all callers share one per kind. */
  inform<T extends ApiObject>(kind: KindDefinition<T>): Informer<T>;
}

/** Another kind whose changes enqueue objects of the controller's own kind. */
export interface Source<T extends ApiObject = ApiObject> {
  readonly kind: KindDefinition<T>;
  /** The keys to reconcile again. */
  keys(object: T, env: ControllerEnv): readonly ObjectKey[];
}

/**
 * Reconciles objects: `reconcile` runs for an object whenever it changes. A controller reads from informers, which may be slightly stale, and writes
 * through the client with optimistic concurrency, which rejects writes based on stale data. Whatever `reconcile` throws is retried with backoff.
 */
export interface Controller<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly watches: KindDefinition<T>;
  readonly also?: readonly Source[];
  /** Objects reconciled concurrently. Default 1. */
  readonly workers?: number;
  /** Called once before the first object, to add indexes for example. */
  prepare?(env: ControllerEnv): void;
  /** Reconciles one object, which may have been deleted. Resolves to the milliseconds until it runs again, or undefined when done. */
  reconcile(key: ObjectKey, env: ControllerEnv): Promise<number | undefined>;
}

/** Checks a source's types against its kind. */
export const source = <T extends ApiObject>(kind: KindDefinition<T>, keys: Source<T>['keys']): Source => ({ kind, keys });

export interface Running {
  /** Resolves once all informers have synced; rejects where `runControllers` was stopped before. */
  readonly synced: Promise<void>;
  /** Stops; resolves when work in progress is done. */
  stop(): Promise<void>;
}

/** Options of a controller environment. */
export interface EnvOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Default: `clock`. */
  readonly retryClock?: Clock;
  readonly log: Log;
  /** Observes the work queues. Default: none. */
  readonly queues?: QueueObserver;
  readonly signal: AbortSignal;
  /** What informers keep of each object of a kind. Default: all but `managedFields`. */
  readonly keepOf?: KeepOf;
}

/** The transform for a kind; undefined: the default. Its result must not be written back: what it dropped would be lost. */
export type KeepOf = <T extends ApiObject>(kind: KindDefinition<T>) => ((object: T) => T) | undefined;

/** An environment in which controllers share informers. */
export function createControllerEnv(options: EnvOptions): ControllerEnv {
  const informers = new Map<string, Informer<never>>();
  const { client, clock, retryClock = clock, log, queues, keepOf } = options;
  const { signal } = abortedBy(options.signal);
  // Every informer adds a listener; the signal of the caller keeps its own limit.
  setMaxListeners(0, signal);
  return {
    client,
    clock,
    retryClock,
    log,
    queues,
    signal,
    inform<T extends ApiObject>(kind: KindDefinition<T>): Informer<T> {
      checkKind('inform', kind);
      const name = `${kind.group}/${kind.plural}`;
      let informer = informers.get(name) as Informer<T> | undefined;
      if (informer === undefined) {
        informer = openInformer(client.of(kind), { retryClock, log, signal, keep: keepOf?.(kind) ?? withoutManagedFields });
        informers.set(name, informer as unknown as Informer<never>);
      }
      return informer;
    },
  };
}

/** Drops managed fields, which are most of an object's metadata and of no use to a controller. An update without them leaves them unchanged. */
export function withoutManagedFields<T extends ApiObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : { ...object, metadata };
}

/** Runs a controller on its informers until the environment's signal aborts or it is stopped. */
export function startController<T extends ApiObject>(controller: Controller<T>, env: ControllerEnv): Running {
  checkController(controller);
  const { name, watches, also = [], workers } = controller;
  const queue = new WorkQueue({
    name,
    observer: env.queues,
    clock: env.clock,
    retryClock: env.retryClock,
    ...(workers === undefined ? {} : { workers }),
    work: (key) => controller.reconcile(parseKey(key), env),
    onFailure: warnOfFailures(env.log, 'a controller failed and will try again', (key) => ({ controller: name, key })),
  });
  controller.prepare?.(env);
  const add = (key: ObjectKey): void => queue.add(formatKey(key));
  const informers = [follow(env.inform(watches), (object) => [keyOf(object)], add)];
  for (const { kind, keys } of also) informers.push(follow(env.inform(kind), (object) => keys(object, env), add));
  const synced = Promise.all(informers.map((one) => one.synced)).then(() => queue.start());
  const stop = async (): Promise<void> => {
    for (const { leave } of informers) leave();
    await queue.stop();
  };
  env.signal.addEventListener('abort', () => void stop(), { once: true });
  return { synced, stop };
}

function follow<T extends ApiObject>(informer: Informer<T>, keysOf: (object: T) => readonly ObjectKey[], add: (key: ObjectKey) => void) {
  const leave = informer.listen({
    put(object, before) {
      for (const key of keysOf(object)) add(key);
      if (before !== undefined) for (const key of keysOf(before)) add(key);
    },
    remove(last) {
      for (const key of keysOf(last)) add(key);
    },
  });
  return { leave, synced: informer.synced };
}

export interface RunOptions extends Pick<EnvOptions, 'client' | 'retryClock'> {
  readonly clock?: Clock;
  readonly log?: Log;
}

const RUNNING: OptionTypes<RunOptions> = { client: 'object', clock: 'object', retryClock: 'object', log: 'object' };

function checkController({ name, watches, also = [], reconcile }: Controller<never>): void {
  checkText('the name of a controller', name);
  checkKind(`watches of controller ${name}`, watches);
  for (const { kind } of also) checkKind(`also of controller ${name}`, kind);
  checkFunction(`reconcile of controller ${name}`, reconcile, 'a function');
}

/** Runs controllers against a server until `stop` is called; keeps the process alive until then, also while the server is unreachable. */
export function runControllers(controllers: readonly Controller<never>[], given: RunOptions): Running {
  if (!Array.isArray(controllers)) throw new TypeError(`runControllers takes a list of controllers, not ${shownValue(controllers)}`);
  checkOptions('runControllers', given, RUNNING);
  checkClient('option client of runControllers', given.client);
  for (const controller of controllers) checkController(controller);
  const { clock = systemClock, log = silentLog, ...options } = given;
  const ending = new AbortController();
  const env = createControllerEnv({ ...options, clock, log, signal: ending.signal });
  const running = startAll(controllers, env, ending);
  const letGo = stayAlive();
  return {
    synced: unlessStopped(Promise.all(running.map(({ synced }) => synced)), ending.signal),
    async stop() {
      // First: work in progress may wait for nothing but this.
      ending.abort();
      await Promise.all(running.map((one) => one.stop()));
      letGo();
    },
  };
}

function unlessStopped(synced: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const first = new Promise<void>((resolve, reject) => {
    void synced.then(() => resolve(), reject);
    signal.addEventListener('abort', () => reject(new Error('the controllers were stopped before all informers had synced')), { once: true });
  });
  // Who stops them need not wait for it.
  first.catch(() => {});
  return first;
}

/** All of them, or none: one that cannot be prepared ends those before it, which nobody could stop any more. */
function startAll(controllers: readonly Controller<never>[], env: ControllerEnv, ending: AbortController): readonly Running[] {
  try {
    return controllers.map((controller) => startController(controller as unknown as Controller, env));
  } catch (cause) {
    ending.abort();
    throw cause;
  }
}
