import { join } from 'node:path';
import { failureText, makeFolder, systemClock } from '#base';
import { brandOf, type Dialect } from '#api';
import { FLAG_GROUPS, FLAGS, formatKubeconfig, groupOf, IDLE_FLAGS, openIdentityFiles, servingNames, startServer, writePrivate, type IdentityFiles, type RunningServer } from '#server';
import { EXIT, type Command } from '../command.ts';
import { waitForSignal } from '../ending-signals.ts';
import { ownVersion } from '../own-version.ts';
import type { FlagValues } from '../parse-flags.ts';
import { readServices } from '../serve/cluster-flags.ts';
import { withConfigFile } from '../serve/config-file.ts';
import { connectHelp } from '../serve/connect-help.ts';
import { dataDirFailure, explainStart } from '../serve/explain-start.ts';
import { readFeatureGates } from '../serve/feature-gates.ts';
import { readGivenFiles, type GivenFiles } from '../serve/given-files.ts';
import { readServerOptions } from '../serve/given-options.ts';
import { growInSmallSteps } from '../serve/heap-growth.ts';
import { idleLines } from '../serve/idle-flags.ts';
import { checkKubeconfigOut } from '../serve/kubeconfig-out.ts';
import { otherDialectLines } from '../serve/other-dialect.ts';
import { outliveFaults } from '../serve/outlive-faults.ts';
import { tellOpenFiles } from '../serve/tell-open-files.ts';
import { tellStarted } from '../serve/tell-started.ts';
import { tellingWaiting } from '../serve/tell-waiting.ts';
import { isWorker, tellReady, tellsHowToConnect, waitForStop } from '../serve/worker.ts';
import { superviseWorkers, workersOf } from '../serve/workers.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const SERVE_FLAGS = [...FLAGS, ...IDLE_FLAGS];

export const serve: Command = {
  usage: 'orch serve [flags]',
  description: 'Runs a server in the foreground until SIGTERM or Ctrl-C, and writes a kubeconfig for its administrator.',
  flags: SERVE_FLAGS,
  groups: { titles: FLAG_GROUPS, of: groupOf },
  examples: [
    'orch serve',
    'orch serve --dialect=kubernetes --secure-port=7443 --kubeconfig-out=./kubeconfig',
    'orch serve --store=memory:// --token-auth-file=tokens.csv',
  ],
  async run([word], asked, terminal) {
    if (word !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(word)}: flags of serve are written --name=value`);
    if (asked.isOn('version')) return showVersion(terminal);
    const flags = await withConfigFile(asked, SERVE_FLAGS);
    const features = readFeatureGates(flags);
    const workers = workersOf(flags);
    if (!isWorker()) for (const line of [...idleLines(flags, features), ...otherDialectLines(flags)]) terminal.err(line);
    // Workers find what the first of them wrote.
    if (!isWorker()) await checkKubeconfigOut(flags);
    if (workers > 1 && !isWorker()) return superviseWorkers(workers, flags, terminal);
    growInSmallSteps();
    const stopAsWorker = isWorker() ? waitForStop() : undefined;
    const given = await readGivenFiles(flags);
    const identity = await openIdentity(flags);
    const options = await readServerOptions({ flags, features, given, identity, terminal });
    outliveFaults(options.log);
    if (identity.remark !== undefined && given.certificate === undefined && tellsHowToConnect(terminal.env)) options.log.warn(identity.remark);
    const server = await tellingWaiting(options.store ?? '', terminal, startServer(options)).catch((cause: unknown) => {
      throw explainStart(cause, flags);
    });
    // Until here a signal ends the process at once: nothing was promised to anybody, and a start may wait for its store.
    const stop = stopAsWorker ?? waitForSignal();
    const ending = new AbortController();
    tellOpenFiles(options.log, ending.signal);
    try {
      const words = await announce(server, { flags, given, identity, terminal });
      if (isWorker()) tellReady(words, { port: server.port ?? 0, insecurePort: server.insecurePort });
      else tellStarted(words, terminal);
      await stop;
    } finally {
      ending.abort();
      await server.close();
    }
    return EXIT.ok;
  },
};

const dataDirOf = (flags: FlagValues): string => flags.text('data-dir') ?? '.';

async function showVersion(terminal: Terminal): Promise<number> {
  terminal.out(`orch ${await ownVersion()}\n`);
  return EXIT.ok;
}

async function openIdentity(flags: FlagValues): Promise<IdentityFiles> {
  const folder = dataDirOf(flags);
  const names = namesOf(flags);
  try {
    makeFolder(folder);
    return await openIdentityFiles(folder, names, systemClock.nowMs());
  } catch (cause) {
    throw dataDirFailure(folder, cause);
  }
}

function namesOf(flags: FlagValues): readonly string[] {
  try {
    return servingNames(readServices(flags), flags.text('bind-address') ?? '127.0.0.1', brandOf(flags.text('dialect') as Dialect));
  } catch (cause) {
    throw explainStart(cause, flags);
  }
}

interface Announced {
  readonly flags: FlagValues;
  readonly given: GivenFiles;
  readonly identity: IdentityFiles;
  readonly terminal: Pick<Terminal, 'env'>;
}

/** `npm start` in a checkout compiles it first, in this process, and leaves a mark when that is done. */
const builtAtMs = (): number => performance.getEntriesByName('built')[0]?.startTime ?? 0;

/** Writes the kubeconfig, and returns the text that explains its use. */
async function announce(server: RunningServer, { flags, given, identity, terminal: { env } }: Announced): Promise<string> {
  const url = server.url ?? '';
  const kubeconfig = flags.text('kubeconfig-out') ?? join(dataDirOf(flags), 'kubeconfig');
  // Clients must trust whichever certificate the server presents: one of its own CA, or one that was given.
  const authorityPem = [identity.authority.cert, given.certificate?.cert].filter((pem) => pem !== undefined).join('\n');
  try {
    if (tellsHowToConnect(env)) await writePrivate(kubeconfig, formatKubeconfig({ server: url, authorityPem, token: identity.adminToken }));
  } catch (cause) {
    throw new UsageError(`--kubeconfig-out: cannot write ${kubeconfig}: ${failureText(cause)}`);
  }
  return connectHelp({ url, insecurePort: server.insecurePort, kubeconfig, dialect: flags.text('dialect') as Dialect, startedMs: Math.round(performance.now() - builtAtMs()) });
}
