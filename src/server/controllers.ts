import { setMaxListeners } from 'node:events';
import { CONTROLLER_MANAGER_USER } from '#api';
import { abortedBy, randomUUID, systemClock } from '#base';
import { createClient, createControllerEnv, exchangeLocal, runForLeader, type Client } from '#client';
import { deadline } from '#http';
import type { Identified, Next } from '#request';
import { openSigning } from './certificates/certificate-authority.ts';
import { createLoopbackWatch } from './loopback-watch.ts';
import { createLoopback, type LoopbackUser } from './loopback.ts';
import type { Settings } from './options.ts';
import type { BuiltServer } from './build-server.ts';

/** The server's own controllers. */
export interface Controlling {
  /** Starts without waiting. `url`: where the server is reached; undefined: nowhere. */
  start(url: string | undefined): void;
  /** Resolves when work in progress is done. */
  stop(): Promise<void>;
}

const MANAGER: LoopbackUser = { name: CONTROLLER_MANAGER_USER, agent: 'kube-controller-manager' };

/** The initial lists of all controllers would otherwise be in memory at the same time, in every form on their way: memory that the process keeps. */
const PAGES = { size: 100, atOnce: 2 } as const;

const IDLE: Controlling = { start: () => {}, stop: () => Promise.resolve() };

/**
 * Prepares the configured controllers; throws for an unknown name. Their code is loaded only where controllers run, and after the start where no
 * names need checking.
 */
export async function prepareControllers(settings: Settings, built: BuiltServer): Promise<Controlling> {
  if (settings.controllers === 'none') return IDLE;
  if (settings.controllers !== '*') (await import('#controllers')).chooseControllers(settings.controllers);
  const signing = openSigning(settings.certificateSigning, settings.clock);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  let running: Promise<void> = Promise.resolve();
  return {
    start(url) {
      running = run({ settings, built, signing, url }, ending.signal).catch((cause: unknown) => settings.log.error('the controllers have stopped', { cause }));
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** What controllers need to start. */
interface Means {
  readonly settings: Settings;
  readonly built: BuiltServer;
  readonly signing: ReturnType<typeof openSigning>;
  readonly url: string | undefined;
}

/** Runs controllers; resolves when the signal has aborted and all work has ended. */
async function run(means: Means, signal: AbortSignal): Promise<void> {
  const { settings, built } = means;
  const { brand } = built.catalog;
  const { requestTimeoutMs: defaultMs } = settings.serving;
  const inTime = deadline<Identified>(defaultMs === undefined ? {} : { defaultMs });
  // An aggregated server that answers nothing would keep whoever asks it for ever.
  const dispatch: Next<Identified> = (request) => inTime(request, built.dispatch);
  const loopback = createLoopback(dispatch, MANAGER);
  const client = createClient(built.controllerMetrics.counted(exchangeLocal(loopback, {}, createLoopbackWatch(dispatch, MANAGER))), { dialect: brand.dialect, userAgent: MANAGER.agent, pages: PAGES });
  const { clock, log, leaderElection, leaderElectionLease: lease, leaderElectionTimes } = settings;
  if (!leaderElection) return lead(means, client, signal);
  await runForLeader({ client, clock, log, lease, identity: randomUUID(), ...leaderElectionTimes, signal }, (term) => lead(means, client, abortedBy(signal, term).signal));
}

async function lead({ settings, built, signing, url }: Means, client: Client, signal: AbortSignal): Promise<void> {
  const { controllers, clock, log, rootCa } = settings;
  const { chooseControllers, keepOf, startControllers } = await import('#controllers');
  const ending = new AbortController();
  const env = createControllerEnv({ client, clock, retryClock: systemClock, log, queues: built.controllerMetrics.queues, signal: ending.signal, keepOf });
  const running = startControllers(chooseControllers(controllers), {
    ...env,
    ...(rootCa === undefined ? {} : { rootCa }),
    ...(url === undefined ? {} : { url }),
    signing,
    issueToken: (order) => built.tokenIssuer.issueLegacy(order),
  });
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await running.stop();
  ending.abort();
}
