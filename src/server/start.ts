import { setMaxListeners } from 'node:events';
import type { Clock } from '#base';
import { exchange, openListener, type Listener, type LocalAnswer, type LocalRequest } from '#http';
import { openEngine, type Engine } from '#storage';
import { makeSystemNamespaces, makeSystemPriorityClasses } from './bootstrap.ts';
import { makeBootstrapPolicy } from './bootstrap/make-policy.ts';
import { createLoopback } from './loopback.ts';
import { settle, type Listen, type ServerOptions, type Settings } from './options.ts';
import { wire, type Wired } from './wire.ts';

/** A server that answers. */
export interface RunningServer {
  /** Base address; undefined without a socket. */
  readonly url: string | undefined;
  readonly port: number | undefined;
  /** A request without a socket, through everything a request over HTTP goes through. */
  exchange(request: LocalRequest): Promise<LocalAnswer>;
  /** Replaces certificate and key for new connections. */
  updateTls(cert: string, key: string): void;
  /** Ends watches, lets running requests finish, and closes the store. Resolves when nothing is left. */
  close(): Promise<void>;
}

/**
 * Starts a server. Resolves when requests are served; rejects with what is wrong with the options, the address or the store.
 *
 *     const server = await startServer();
 *     await fetch(`${server.url}/api/v1/namespaces`, …);
 *     await server.close();
 *
 * @spec 1
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const settings = settle(options);
  const engine = await openStore(settings);
  const closing = new AbortController();
  // Everything that follows the store listens for the end.
  setMaxListeners(0, closing.signal);
  try {
    return await serve(settings, engine, closing);
  } catch (cause) {
    closing.abort();
    await engine.close();
    throw cause;
  }
}

const openStore = (settings: Settings): Promise<Engine> =>
  openEngine(settings.store, {
    historySeconds: settings.historySeconds,
    clock: settings.clock,
    log: settings.log,
  });

async function serve(settings: Settings, engine: Engine, closing: AbortController): Promise<RunningServer> {
  const wired = wire(settings, engine);
  const loopback = createLoopback(wired.dispatch);
  const { brand } = wired.catalog;
  const { readiness } = wired;
  await wired.follow(closing.signal);
  const [listener, insecure] = await Promise.all([
    settings.listen === false ? undefined : listen(settings, settings.listen, wired),
    settings.insecureListen === undefined ? undefined : listen(settings, settings.insecureListen, wired),
    readiness.step('poststarthook/bootstrap-controller', () => makeSystemNamespaces(loopback, brand)),
    readiness.step('poststarthook/scheduling/bootstrap-system-priority-classes', () => makeSystemPriorityClasses(loopback, brand)),
    readiness.step('poststarthook/rbac/bootstrap-roles', () => makeBootstrapPolicy(wired.registries, wired.catalog, settings)),
  ]);
  return {
    port: listener?.port,
    url: listener === undefined || settings.listen === false ? undefined : urlOf(settings.listen, listener),
    exchange: (request) => exchange(wired.handle, request, { log: settings.log, clock: settings.clock }),
    updateTls: (cert, key) => listener?.updateTls(cert, key),
    async close() {
      readiness.stopping();
      await passed(settings.clock, settings.shutdownDelayMs);
      const graceMs = settings.shutdownGraceMs;
      await Promise.all([listener?.close({ graceMs }), insecure?.close({ graceMs })]);
      closing.abort();
      await engine.close();
    },
  };
}

const passed = (clock: Clock, delayMs: number): Promise<void> | undefined =>
  delayMs === 0 ? undefined : new Promise((resolve) => clock.after(delayMs, resolve));

const listen = (settings: Settings, { host = '127.0.0.1', port = 0, tls }: Listen, wired: Wired): Promise<Listener> =>
  openListener({
    host,
    port,
    ...(tls === undefined ? {} : { tls }),
    handle: wired.handle,
    log: settings.log,
    clock: settings.clock,
  });

function urlOf({ host = '127.0.0.1', tls }: Listen, { port }: Listener): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
}
