import { setMaxListeners } from 'node:events';
import { systemClock } from '#base';
import { createClient, createControllerEnv, exchangeLocal, runForLeader, type Client } from '#client';
import { openSigning } from './certificates/certificate-authority.ts';
import { createLoopbackWatch } from './loopback-watch.ts';
import { createLoopback, type LoopbackUser } from './loopback.ts';
import type { Settings } from './options.ts';
import type { Wired } from './wire.ts';

/** The server's own controllers. */
export interface Controlling {
  /** Begins; does not wait for anything. `url`: where the server is reached; undefined: nowhere. */
  start(url: string | undefined): void;
  /** Resolves when what was being worked on is done. */
  stop(): Promise<void>;
}

const MANAGER: LoopbackUser = { name: 'system:kube-controller-manager', agent: 'kube-controller-manager' };

/** What all controllers read when they begin would otherwise be in memory at the same time, in every form on its way: memory that stays taken. */
const PAGES = { size: 100, atOnce: 2 } as const;

const IDLE: Controlling = { start: () => {}, stop: () => Promise.resolve() };

/**
 * Prepares the controllers that the settings name; throws where these name one that is not there. Loaded only where needed, and, as far as
 * names need not be checked, only once the server answers.
 */
export async function prepareControllers(settings: Settings, wired: Wired): Promise<Controlling> {
  if (settings.controllers === 'none') return IDLE;
  if (settings.controllers !== '*') (await import('#controllers')).chooseControllers(settings.controllers);
  const signing = openSigning(settings.certificateSigning, settings.clock);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  let running: Promise<void> = Promise.resolve();
  return {
    start(url) {
      running = run({ settings, wired, signing, url }, ending.signal).catch((cause: unknown) => settings.log.error('the controllers have stopped', { cause }));
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** What controllers are started with. */
interface Means {
  readonly settings: Settings;
  readonly wired: Wired;
  readonly signing: ReturnType<typeof openSigning>;
  readonly url: string | undefined;
}

/** Resolves when the signal has aborted and everything is at rest. */
async function run(means: Means, signal: AbortSignal): Promise<void> {
  const { settings, wired } = means;
  const { brand } = wired.catalog;
  const loopback = createLoopback(wired.dispatch, MANAGER);
  const client = createClient(wired.controllerMetrics.counted(exchangeLocal(loopback, {}, createLoopbackWatch(wired.dispatch, MANAGER))), { dialect: brand.dialect, userAgent: MANAGER.agent, pages: PAGES });
  const { clock, log, leaderElection, leaderElectionLease: lease, leaderElectionTimes } = settings;
  if (!leaderElection) return lead(means, client, signal);
  await runForLeader({ client, clock, log, lease, identity: crypto.randomUUID(), ...leaderElectionTimes, signal }, (term) => lead(means, client, AbortSignal.any([signal, term])));
}

async function lead({ settings, wired, signing, url }: Means, client: Client, signal: AbortSignal): Promise<void> {
  const { controllers, clock, log, rootCa } = settings;
  const { chooseControllers, keepOf, startControllers } = await import('#controllers');
  const ending = new AbortController();
  const env = createControllerEnv({ client, clock, retryClock: systemClock, log, queues: wired.controllerMetrics.queues, signal: ending.signal, keepOf });
  const running = startControllers(chooseControllers(controllers), {
    ...env,
    ...(rootCa === undefined ? {} : { rootCa }),
    ...(url === undefined ? {} : { url }),
    signing,
    issueToken: (order) => wired.tokenIssuer.issueLegacy(order),
  });
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await running.stop();
  ending.abort();
}
