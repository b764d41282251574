import { setMaxListeners } from 'node:events';
import { silentLog, stayAlive, systemClock, type Clock, type Log } from '#base';
import type { ApiObject, KindDefinition, ObjectKey } from '#api';
import type { Client } from './client.ts';
import { formatKey, keyOf, parseKey } from './indexer.ts';
import { openInformer, type Informer } from './informer.ts';
import { WorkQueue, type QueueObserver } from './queue.ts';

/** What a controller works with: a client and informers, never the server's inside. */
export interface ControllerEnv {
  readonly client: Client;
  readonly clock: Clock;
  /** For the time between a failure and the next try, which is real even where a test turns `clock`. */
  readonly retryClock: Clock;
  readonly log: Log;
  /** Is told what queues do, for figures. */
  readonly queues?: QueueObserver | undefined;
  /** Aborts when the controller is to end. */
  readonly signal: AbortSignal;
  /** Follows a kind. All who ask for the same kind share one informer. */
  inform<T extends ApiObject>(kind: KindDefinition<T>): Informer<T>;
}

/** Another kind whose changes concern objects of the controller's own. */
export interface Source<T extends ApiObject = ApiObject> {
  readonly kind: KindDefinition<T>;
  /** The objects to look at again. */
  keys(object: T, env: ControllerEnv): readonly ObjectKey[];
}

/**
 * Brings the world closer to what an object says, again whenever the object changes.
 * A controller reads from informers, which may be a moment behind, and writes through the client, which refuses what is based on old news;
 * whatever `reconcile` throws is tried again, a little later each time.
 */
export interface Controller<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly watches: KindDefinition<T>;
  readonly also?: readonly Source[];
  /** Objects looked at at the same time. Default 1. */
  readonly workers?: number;
  /** Once, before the first object: indexes to be added, for example. */
  prepare?(env: ControllerEnv): void;
  /** One object, which may be gone by now. Resolves to "again in so many milliseconds", or undefined when done. */
  reconcile(key: ObjectKey, env: ControllerEnv): Promise<number | undefined>;
}

/** Checks a source's types against its kind. */
export const source = <T extends ApiObject>(kind: KindDefinition<T>, keys: Source<T>['keys']): Source => ({ kind, keys });

export interface Running {
  /** Resolves once everything to be followed is known. */
  readonly synced: Promise<void>;
  /** Resolves when what was being worked on is done. */
  stop(): Promise<void>;
}

/** What an environment for controllers is made of. */
export interface EnvOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Default: `clock`. */
  readonly retryClock?: Clock;
  readonly log: Log;
  /** Is told what queues do. Default: nobody. */
  readonly queues?: QueueObserver;
  readonly signal: AbortSignal;
  /** What is kept in memory of each object of a kind. Default: all but `managedFields`. */
  readonly keepOf?: KeepOf;
}

/** undefined: all that is worth keeping. What it returns must not be written back: the rest would be lost. */
export type KeepOf = <T extends ApiObject>(kind: KindDefinition<T>) => ((object: T) => T) | undefined;

/** An environment in which controllers share informers. */
export function createControllerEnv(options: EnvOptions): ControllerEnv {
  const informers = new Map<string, Informer<never>>();
  const { client, clock, retryClock = clock, log, queues, keepOf } = options;
  const signal = AbortSignal.any([options.signal]);
  // As many listen as there are informers; the signal of whoever calls keeps its own count.
  setMaxListeners(0, signal);
  return {
    client,
    clock,
    retryClock,
    log,
    queues,
    signal,
    inform<T extends ApiObject>(kind: KindDefinition<T>): Informer<T> {
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

/** Most of an object's metadata, and of no use to a controller. What is written back without them keeps them. */
export function withoutManagedFields<T extends ApiObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  return managedFields === undefined ? object : { ...object, metadata };
}

/** Follows what the controller watches and works until the environment's signal aborts or it is stopped. */
export function startController<T extends ApiObject>(controller: Controller<T>, env: ControllerEnv): Running {
  const { name, watches, also = [], workers } = controller;
  const queue = new WorkQueue({
    name,
    observer: env.queues,
    clock: env.clock,
    retryClock: env.retryClock,
    ...(workers === undefined ? {} : { workers }),
    work: (key) => controller.reconcile(parseKey(key), env),
    onFailure: (key, cause, failures) => env.log.warn('a controller failed and will try again', { controller: name, key, failures, cause }),
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

/** Runs controllers against a server until the returned `stop` is called; until then the process stays alive, also while the server is away. */
export function runControllers(controllers: readonly Controller<never>[], { clock = systemClock, log = silentLog, ...options }: RunOptions): Running {
  const ending = new AbortController();
  const env = createControllerEnv({ ...options, clock, log, signal: ending.signal });
  const running = controllers.map((controller) => startController(controller as unknown as Controller, env));
  const letGo = stayAlive();
  return {
    synced: Promise.all(running.map(({ synced }) => synced)).then(() => {}),
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
      ending.abort();
      letGo();
    },
  };
}
