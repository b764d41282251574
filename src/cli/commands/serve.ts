import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#base';
import type { Dialect } from '#api';
import { FLAGS, formatKubeconfig, openIdentityFiles, startServer, writePrivate, type IdentityFiles, type Listen, type RunningServer } from '#server';
import { EXIT, type Command } from '../command.ts';
import type { FlagValues } from '../parse-flags.ts';
import { connectHelp } from '../serve/connect-help.ts';
import { dataDirFailure, explainStart } from '../serve/explain-start.ts';
import { readGivenFiles, type GivenFiles } from '../serve/given-files.ts';
import { logLines } from '../serve/log-lines.ts';
import { waitForSignal } from '../serve/wait-for-signal.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

export const serve: Command = {
  usage: 'orch serve [flags]',
  description: 'Runs a server in the foreground until SIGTERM or Ctrl-C, and writes a kubeconfig for its administrator.',
  flags: FLAGS,
  examples: [
    'orch serve',
    'orch serve --dialect=kubernetes --secure-port=7443 --kubeconfig-out=./kubeconfig',
    'orch serve --store=memory:// --token-auth-file=tokens.csv',
  ],
  async run([word], flags, terminal) {
    if (word !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(word)}: flags of serve are written --name=value`);
    const stop = waitForSignal();
    const given = await readGivenFiles(flags);
    const identity = await openIdentity(flags);
    const server = await start(flags, given, identity, terminal);
    try {
      terminal.out(await announce(server, flags, given, identity));
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

async function openIdentity(flags: FlagValues): Promise<IdentityFiles> {
  const folder = dataDirOf(flags);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await openIdentityFiles(folder, [hostOf(flags)], systemClock.nowMs());
  } catch (cause) {
    throw dataDirFailure(folder, cause);
  }
}

async function start(flags: FlagValues, given: GivenFiles, identity: IdentityFiles, terminal: Terminal): Promise<RunningServer> {
  const clientCa = [identity.authority.cert, given.clientCa].filter((pem) => pem !== undefined).join('\n');
  const { cert, key } = given.certificate ?? identity.serving;
  const listen: Listen = { host: hostOf(flags), port: flags.number('secure-port') ?? 0, tls: { cert, key, clientCa } };
  const insecurePort = flags.number('insecure-port');
  try {
    return await startServer({
      dialect: dialectOf(flags),
      store: flags.text('store') ?? `lmdb://${join(dataDirOf(flags), 'store')}`,
      listen,
      ...(insecurePort === undefined ? {} : { insecureListen: { port: insecurePort } }),
      // The own line comes last: messages about the given ones name the line in their file.
      tokens: `${given.tokens ?? ''}\n${identity.adminToken},orch-admin,,"system:masters"\n`,
      anonymous: flags.isOn('anonymous-auth'),
      aggregateRoles: flags.text('controllers') !== 'none',
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
    throw new UsageError(`--kubeconfig-out: cannot write ${kubeconfig}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  return connectHelp({ url, kubeconfig, dialect: dialectOf(flags), startedMs: Math.round(performance.now()) });
}
