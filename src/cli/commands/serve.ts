import { join } from 'node:path';
import { failureText, makeFolder, systemClock } from '#base';
import type { Dialect } from '#api';
import { FLAG_GROUPS, FLAGS, formatKubeconfig, groupOf, IDLE_FLAGS, openIdentityFiles, startServer, writePrivate, type FlowControlSettings, type IdentityFiles, type Listen, type RunningServer } from '#server';
import { EXIT, type Command } from '../command.ts';
import { ownVersion } from '../own-version.ts';
import type { FlagValues } from '../parse-flags.ts';
import { fillCertDir } from '../serve/cert-dir.ts';
import { readClusterOptions } from '../serve/cluster-flags.ts';
import { withConfigFile } from '../serve/config-file.ts';
import { connectHelp } from '../serve/connect-help.ts';
import { dataDirFailure, explainStart } from '../serve/explain-start.ts';
import { readFeatureGates, type GivenFeatures } from '../serve/feature-gates.ts';
import { readGivenAdmission } from '../serve/given-admission.ts';
import { readGivenAudit } from '../serve/given-audit.ts';
import { readGivenAggregation } from '../serve/given-aggregation.ts';
import { readGivenAuthentication } from '../serve/given-authentication.ts';
import { readGivenAuthorization } from '../serve/given-authorization.ts';
import { readGivenFiles, type GivenFiles } from '../serve/given-files.ts';
import { growInSmallSteps } from '../serve/heap-growth.ts';
import { idleLines } from '../serve/idle-flags.ts';
import { readLeaderElection } from '../serve/leader-election-flags.ts';
import { logLines } from '../serve/log-lines.ts';
import { readGivenTls } from '../serve/given-tls.ts';
import { readGivenServing } from '../serve/given-serving.ts';
import { readGivenStorage } from '../serve/given-storage.ts';
import { readGivenTracing } from '../serve/given-tracing.ts';
import { readSigningOptions } from '../serve/signing-flags.ts';
import { storeOf } from '../serve/store-of.ts';
import { waitForSignal } from '../serve/wait-for-signal.ts';
import { isWorker, superviseWorkers, tellReady, waitForStop, workersOf } from '../serve/workers.ts';
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
    if (!isWorker()) for (const line of idleLines(flags, features)) terminal.err(line);
    if (workers > 1 && !isWorker()) return superviseWorkers(workers, terminal);
    growInSmallSteps();
    const stop = isWorker() ? waitForStop() : waitForSignal();
    const given = await readGivenFiles(flags);
    const identity = await openIdentity(flags);
    await fillCertDir(flags, identity);
    const server = await start(flags, features, given, identity, terminal);
    try {
      const words = await announce(server, flags, given, identity);
      if (isWorker()) tellReady(words, server.port ?? 0);
      else terminal.out(words);
      await stop;
    } finally {
      await server.close();
    }
    return EXIT.ok;
  },
};

const dataDirOf = (flags: FlagValues): string => flags.text('data-dir') ?? '.';
const hostOf = (flags: FlagValues): string => flags.text('bind-address') ?? '127.0.0.1';
const dialectOf = (flags: FlagValues): Dialect => flags.text('dialect') as Dialect;

async function showVersion(terminal: Terminal): Promise<number> {
  terminal.out(`orch ${await ownVersion()}\n`);
  return EXIT.ok;
}

const flowControlOf = (flags: FlagValues, { isOn }: GivenFeatures): FlowControlSettings => ({
  isFair: flags.isOn('enable-priority-and-fairness') && isOn.get('APIPriorityAndFairness') !== false,
  maxReading: flags.number('max-requests-inflight') ?? 0,
  maxChanging: flags.number('max-mutating-requests-inflight') ?? 0,
});

async function openIdentity(flags: FlagValues): Promise<IdentityFiles> {
  const folder = dataDirOf(flags);
  try {
    makeFolder(folder);
    return await openIdentityFiles(folder, [hostOf(flags)], systemClock.nowMs());
  } catch (cause) {
    throw dataDirFailure(folder, cause);
  }
}

async function start(flags: FlagValues, features: GivenFeatures, given: GivenFiles, identity: IdentityFiles, terminal: Terminal): Promise<RunningServer> {
  const listen: Listen = { host: hostOf(flags), port: flags.number('secure-port') ?? 0, tls: await readGivenTls(flags, identity) };
  const insecurePort = flags.number('insecure-port');
  const admission = await readGivenAdmission(flags);
  const audit = await readGivenAudit(flags, terminal.env);
  const cluster = await readClusterOptions(flags);
  const tracing = await readGivenTracing(flags);
  const authentication = await readGivenAuthentication(flags, identity.tokenKey);
  const aggregation = await readGivenAggregation(flags);
  const certificateSigning = await readSigningOptions(flags, identity.authority);
  const authorization = await readGivenAuthorization(flags);
  try {
    return await startServer({
      dialect: dialectOf(flags),
      store: storeOf(flags),
      isStoreShared: workersOf(flags) > 1,
      listen,
      ...(insecurePort === undefined ? {} : { insecureListen: { port: insecurePort } }),
      // The own line comes last: messages about the given ones name the line in their file.
      tokens: `${given.tokens ?? ''}\n${identity.adminToken},orch-admin,,"system:masters"\n`,
      anonymous: flags.isOn('anonymous-auth'),
      authentication,
      authorization,
      admission,
      aggregation,
      ...audit,
      ...cluster,
      ...tracing,
      ...readGivenServing(flags),
      ...readGivenStorage(flags),
      ...(given.encryption === undefined ? {} : { encryption: given.encryption }),
      controllers: flags.text('controllers') ?? '*',
      aggregateRoles: flags.text('controllers') !== 'none',
      rootCa: identity.authority.cert,
      certificateSigning,
      ...readLeaderElection(flags),
      historySeconds: (flags.milliseconds('history') ?? 300_000) / 1000,
      features: features.isOn,
      flowControl: flowControlOf(flags, features),
      livezGraceMs: flags.milliseconds('livez-grace-period') ?? 0,
      shutdownDelayMs: flags.milliseconds('shutdown-delay-duration') ?? 0,
      shutdownGraceMs: (flags.number('shutdown-grace-seconds') ?? 0) * 1000,
      log: logLines(terminal.err, flags.isOn('log-requests')),
    });
  } catch (cause) {
    throw explainStart(cause, flags);
  }
}

/** Writes the kubeconfig and says how to use it. */
async function announce(server: RunningServer, flags: FlagValues, given: GivenFiles, identity: IdentityFiles): Promise<string> {
  const url = server.url ?? '';
  const kubeconfig = flags.text('kubeconfig-out') ?? join(dataDirOf(flags), 'kubeconfig');
  // Clients must trust what is served: the own authority, and a certificate that was given.
  const authorityPem = [identity.authority.cert, given.certificate?.cert].filter((pem) => pem !== undefined).join('\n');
  try {
    await writePrivate(kubeconfig, formatKubeconfig({ server: url, authorityPem, token: identity.adminToken }));
  } catch (cause) {
    throw new UsageError(`--kubeconfig-out: cannot write ${kubeconfig}: ${failureText(cause)}`);
  }
  return connectHelp({ url, kubeconfig, dialect: dialectOf(flags), startedMs: Math.round(performance.now()) });
}
