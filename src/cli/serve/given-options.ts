import { systemClock, type Log } from '#base';
import { MASTERS_GROUP, type Dialect } from '#api';
import type { FlowControlSettings, IdentityFiles, ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import type { Terminal } from '../terminal.ts';
import { readClusterOptions } from './cluster-flags.ts';
import type { GivenFeatures } from './feature-gates.ts';
import { readGivenAdmission } from './given-admission.ts';
import { readGivenAggregation } from './given-aggregation.ts';
import { readGivenAudit } from './given-audit.ts';
import { readGivenAuthentication } from './given-authentication.ts';
import { readGivenAuthorization } from './given-authorization.ts';
import type { GivenFiles } from './given-files.ts';
import { readGivenServing } from './given-serving.ts';
import { readGivenStorage } from './given-storage.ts';
import { readGivenTls } from './given-tls.ts';
import { readGivenTracing } from './given-tracing.ts';
import { readLeaderElection } from './leader-election-flags.ts';
import { logLines } from './log-lines.ts';
import { readShutdown } from './shutdown-flags.ts';
import { readSigningOptions } from './signing-flags.ts';
import { storeOf } from './store-of.ts';
import { workersOf } from './workers.ts';

/** The inputs of the server's options. */
interface Given {
  readonly flags: FlagValues;
  readonly features: GivenFeatures;
  readonly given: GivenFiles;
  readonly identity: IdentityFiles;
  readonly terminal: Pick<Terminal, 'env' | 'err'>;
}

/** The server options from the flags and the files they name. Throws `UsageError` that names the flag. */
export async function readServerOptions({ flags, features, given, identity, terminal }: Given): Promise<ServerOptions & { readonly log: Log }> {
  const host = flags.text('bind-address') ?? '127.0.0.1';
  const log = logLines(terminal.err, flags.isOn('log-requests'));
  const insecurePort = flags.number('insecure-port');
  const historyMs = flags.milliseconds('history');
  return {
    dialect: flags.text('dialect') as Dialect,
    listen: { host, port: flags.number('secure-port') ?? 0, tls: await readGivenTls(flags, identity, systemClock) },
    ...(insecurePort === undefined ? {} : { insecureListen: { port: insecurePort } }),
    admission: await readGivenAdmission(flags),
    ...(await readGivenAudit(flags, terminal.env)),
    ...(await readClusterOptions(flags, log)),
    ...(await readGivenTracing(flags)),
    authentication: await readGivenAuthentication(flags, identity.tokenKey),
    aggregation: await readGivenAggregation(flags, log),
    certificateSigning: await readSigningOptions(flags, identity.authority),
    authorization: await readGivenAuthorization(flags),
    store: storeOf(flags),
    isStoreShared: workersOf(flags) > 1,
    // The administrator's line comes last: errors name lines of the given file by number.
    tokens: `${given.tokens ?? ''}\n${identity.adminToken},orch-admin,,"${MASTERS_GROUP}"\n`,
    anonymous: flags.isOn('anonymous-auth'),
    ...readGivenServing(flags),
    ...readGivenStorage(flags),
    ...(given.encryption === undefined ? {} : { encryption: given.encryption }),
    controllers: flags.text('controllers') ?? '*',
    aggregateRoles: flags.text('controllers') !== 'none',
    rootCa: identity.authority.cert,
    ...readLeaderElection(flags),
    ...(historyMs === undefined ? {} : { historySeconds: historyMs / 1000 }),
    features: features.isOn,
    flowControl: flowControlOf(flags, features),
    livezGraceMs: flags.milliseconds('livez-grace-period') ?? 0,
    ...readShutdown(flags),
    log,
  };
}

const flowControlOf = (flags: FlagValues, { isOn }: GivenFeatures): FlowControlSettings => ({
  isFair: flags.isOn('enable-priority-and-fairness') && isOn.get('APIPriorityAndFairness') !== false,
  maxReading: flags.number('max-requests-inflight') ?? 0,
  maxChanging: flags.number('max-mutating-requests-inflight') ?? 0,
});
