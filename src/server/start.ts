import { setMaxListeners } from 'node:events';
import { aliveDuring, disposal, hostAndPort, type Clock } from '#base';
import { serviceUnavailable } from '#errors';
import { LocalRequests, openListener, type Listener, type ListenerTls, type LocalResponse, type LocalRequest } from '#http';
import type { Next, Received } from '#request';
import type { Engine } from '#storage';
import { makeBootstrapPolicy } from './bootstrap/make-policy.ts';
import { keepSystemNamespaces, makeSystemNamespaces } from './bootstrap/system-namespaces.ts';
import { makeSystemPriorityClasses } from './bootstrap/system-priority-classes.ts';
import { prepareControllers } from './controllers.ts';
import { createConversionCalls } from './conversion-calls.ts';
import { buildCustomResources } from './custom-resources.ts';
import { keepDefaultService } from './services/keep-default-service.ts';
import { createLoopback } from './loopback.ts';
import { openStore } from './store/open-store.ts';
import { ofOwnDialect } from './store/stored-dialect.ts';
import type { Listen, ServerOptions, Settings } from './options.ts';
import { settle } from './settle-options.ts';
import { repairRanges } from './services/repair-ranges.ts';
import { advertisedAddress } from './services/options.ts';
import { listenerTls } from './certificates/tls-options.ts';
import { certificatesInUse, tellValidity } from './certificates/tell-validity.ts';
import { keepTlsCurrent } from './certificates/tls-reload.ts';
import { buildServer, type BuiltServer } from './build-server.ts';

/** A running server. */
export interface RunningServer {
  /** Base address; undefined without a socket. */
  readonly url: string | undefined;
  readonly port: number | undefined;
  /** Port of `insecureListen`; undefined without it. */
  readonly insecurePort: number | undefined;
  /**
   * Sends a request without a socket, through all stages that a request over HTTP passes. After `close` every request answers 503, and so does one
   * that `close` waited for in vain.
   */
  exchange(request: LocalRequest): Promise<LocalResponse>;
  /** Replaces certificate and key for new connections. */
  updateTls(cert: string, key: string): void;
  /** Ends watches, lets running requests finish, and closes the store. Resolves when nothing is left. */
  close(): Promise<void>;
  /** The same, at the end of a block: `await using server = await startServer()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a server. Resolves when requests are served; rejects with what is wrong with the options, the address or the store. Like `close`, it keeps the
 * process alive meanwhile.
 *
 *     const server = await startServer();
 *     await fetch(`${server.url}/api/v1/namespaces`, …);
 *     await server.close();
 *
 * @spec 1
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const settings = settle(options);
  return aliveDuring(async () => startOn(await openStore(settings), settings));
}

/**
 * Starts a server on an open engine, for programs that bring their own; `store` then only determines the key prefix. The server closes the engine at
 * its end, also when it fails to start.
 */
export async function startServerOn(engine: Engine, options: ServerOptions = {}): Promise<RunningServer> {
  const settings = settle(options);
  return aliveDuring(async () => startOn(await ofOwnDialect(engine, settings), settings));
}

async function startOn(engine: Engine, settings: Settings): Promise<RunningServer> {
  const closing = new AbortController();
  // Everything that follows the store listens on this signal.
  setMaxListeners(0, closing.signal);
  let built: BuiltServer | undefined;
  try {
    built = buildServer(settings, engine);
    return await serve(settings, engine, built, closing);
  } catch (cause) {
    await end(engine, built, closing);
    throw cause;
  }
}

/** Releases everything, once no request is served any more. */
async function end(engine: Engine, built: BuiltServer | undefined, closing: AbortController): Promise<void> {
  await Promise.all([built?.audit?.close(), built?.tracing?.close()]);
  closing.abort();
  await engine.close();
}

async function serve(settings: Settings, engine: Engine, built: BuiltServer, closing: AbortController): Promise<RunningServer> {
  const loopback = createLoopback(built.dispatch);
  const { brand } = built.catalog;
  const { readiness } = built;
  await built.audit?.start();
  const controllers = await prepareControllers(settings, built);
  await built.follow(closing.signal);
  const callConversion = createConversionCalls(built.objects, settings.clock, brand, built.sendToSelf, closing.signal);
  const customResources = buildCustomResources({ ...built, settings, loopback, callConversion });
  await Promise.all([
    readiness.step('poststarthook/crd-informer-synced', () =>
      readiness.step('poststarthook/start-apiextensions-informers', () => readiness.step('poststarthook/start-apiextensions-controllers', () => customResources.start(closing.signal))),
    ),
    // Before the first request: it must not get an address that a service has.
    repairRanges(built.catalog, built.registries, settings.clock, settings.log, closing.signal),
  ]);
  const [listener, insecure] = await Promise.all([
    settings.listen === false ? undefined : listen(settings, settings.listen, built, closing.signal),
    settings.insecureListen === undefined ? undefined : listen(settings, settings.insecureListen, built, closing.signal),
    readiness.step('poststarthook/bootstrap-controller', () => makeSystemNamespaces(loopback, brand)),
    readiness.step('poststarthook/scheduling/bootstrap-system-priority-classes', () => makeSystemPriorityClasses(loopback, built.catalog)),
    built.flowControl.start(closing.signal),
    built.aggregation.start(closing.signal),
    readiness.step('poststarthook/rbac/bootstrap-roles', () => makeBootstrapPolicy(built, settings)),
  ]);
  followTls(settings, listener, built, closing.signal);
  const service = keepDefaultService(settings, built, engine, loopback, listener?.port);
  await service.start();
  keepSystemNamespaces(loopback, brand, settings.clock, settings.log, closing.signal);
  controllers.start(reachedAt(settings, listener));
  let handle = built.handle;
  const local = new LocalRequests(settings);
  const stop = async (): Promise<void> => {
    readiness.stopping();
    if (settings.shutdownDelayMs > 0) await passed(settings.clock, settings.shutdownDelayMs);
    // Listeners refuse connections from now on; this is the same for requests that need none.
    handle = refuseClosed;
    await service.stop();
    await controllers.stop();
    // Who sets a delay has a load balancer in front, which sends no more requests on new connections by now, and may on those it has.
    const manner = { graceMs: settings.shutdownGraceMs, isGentle: settings.shutdownDelayMs > 0 };
    await Promise.all([listener?.close(manner), insecure?.close(manner), local.close(manner)]);
    await end(engine, built, closing);
  };
  let stopped: Promise<void> | undefined;
  const close = (): Promise<void> => (stopped ??= aliveDuring(stop));
  return {
    port: listener?.port,
    insecurePort: insecure?.port,
    url: listener === undefined || settings.listen === false ? undefined : urlOf(settings.listen, listener),
    exchange: (request) => local.exchange(handle, request),
    updateTls: (cert, key) => listener?.updateTls(cert, key),
    close,
    ...disposal(close),
  };
}

const passed = (clock: Clock, delayMs: number): Promise<void> => new Promise((resolve) => clock.after(delayMs, resolve));

/** Answers every request to a server that was closed, whatever it asks for and whoever asks. */
const refuseClosed: Next<Received> = () => Promise.reject(serviceUnavailable('this server was closed and answers no requests any more; start another one'));

/** Listens until the signal aborts: a start that fails later must not leave a listener behind. */
async function listen(settings: Settings, { host = '127.0.0.1', port = 0, tls }: Listen, built: BuiltServer, signal: AbortSignal): Promise<Listener> {
  const { maxStreams, goawayChance } = settings.serving;
  const listener = await openListener({
    host,
    port,
    ...(tls === undefined ? {} : { tls: { ...listenerTls(tls), ...proxyCaOf(settings) } }),
    handle: built.handle,
    log: settings.log,
    clock: settings.clock,
    limits: {
      ...(maxStreams === undefined ? {} : { maxConcurrentStreams: maxStreams }),
      ...(goawayChance === undefined ? {} : { goawayChance }),
    },
  });
  const hangUp = (): void => void listener.close({ graceMs: 0 });
  if (signal.aborted) hangUp();
  else signal.addEventListener('abort', hangUp, { once: true });
  return listener;
}

function followTls(settings: Settings, listener: Listener | undefined, { aggregation }: BuiltServer, signal: AbortSignal): void {
  const { listen: where, clock, log } = settings;
  const tls = where === false || where.tls === undefined ? undefined : { ...listenerTls(where.tls), ...proxyCaOf(settings) };
  let current = tls;
  tellValidity({ inUse: () => certificatesInUse(settings, current), clock, log }, signal);
  if (where === false || where.tls?.read === undefined || tls === undefined || listener === undefined) return;
  const exchanged = (next: ListenerTls): void => {
    current = next;
    aggregation.tell(next);
  };
  keepTlsCurrent({ listener, tls, read: where.tls.read, exchanged, clock, log }, signal);
}

function proxyCaOf({ authentication: { requestHeader } }: Settings): { readonly proxyCa?: string } {
  return requestHeader === undefined ? {} : { proxyCa: requestHeader.clientCa };
}

/** The address by which clients on other machines reach the server; undefined: they cannot. */
function reachedAt({ listen: where, services }: Settings, listener: Listener | undefined): string | undefined {
  if (where === false || listener === undefined) return undefined;
  const host = advertisedAddress(services, where.host) ?? where.host;
  return urlOf({ ...where, ...(host === undefined ? {} : { host }) }, listener);
}

function urlOf({ host = '127.0.0.1', tls }: Listen, { port }: Listener): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${tls === undefined ? 'http' : 'https'}://${hostAndPort(name, port)}`;
}
