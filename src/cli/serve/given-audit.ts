import { brandOf, type Dialect } from '#api';
import type { AuditMode, AuditSettings, DeliverySettings, ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';
import { ownFile } from './worker.ts';

/** The flags that say where events go. */
const PLACES = ['audit-log-path', 'audit-webhook-config-file'] as const;
const MIB = 1_048_576;
const DAY_MS = 86_400_000;

/** The audit options from the flags. Throws `UsageError` that names the flag. @spec 6 */
export async function readGivenAudit(flags: FlagValues, env: Terminal['env']): Promise<Pick<ServerOptions, 'audit'>> {
  for (const place of ['audit-log', 'audit-webhook']) checkVersion(place, flags);
  const policy = await readFlagFile(flags, 'audit-policy-file');
  const path = flags.text('audit-log-path');
  const configFile = flags.text('audit-webhook-config-file');
  if (policy === undefined) {
    const place = PLACES.find((name) => flags.text(name) !== undefined);
    if (place === undefined) return {};
    throw new UsageError(`--${place} needs --audit-policy-file: without a policy no events are kept`);
  }
  if (path === undefined && configFile === undefined) {
    throw new UsageError('--audit-policy-file needs --audit-log-path or --audit-webhook-config-file: otherwise events would go nowhere');
  }
  return {
    audit: {
      policy,
      ...(path === undefined ? {} : { log: logOf(ownFile(path, env), flags) }),
      ...(configFile === undefined ? {} : { webhook: webhookOf(configFile, flags) }),
    },
  };
}

function checkVersion(place: string, flags: FlagValues): void {
  const version = flags.text(`${place}-version`);
  const only = `${brandOf(flags.text('dialect') as Dialect).group('audit')}/v1`;
  if (version !== undefined && version !== only) throw new UsageError(`--${place}-version: events are written as ${only}, not as ${JSON.stringify(version)}`);
}

const logOf = (path: string, flags: FlagValues): NonNullable<AuditSettings['log']> => ({
  ...deliveryOf('audit-log', flags),
  path,
  format: flags.text('audit-log-format') === 'legacy' ? 'legacy' : 'json',
  maxBytes: (flags.number('audit-log-maxsize') ?? 0) * MIB,
  maxAgeMs: (flags.number('audit-log-maxage') ?? 0) * DAY_MS,
  maxBackups: flags.number('audit-log-maxbackup') ?? 0,
  compress: flags.isOn('audit-log-compress'),
});

const webhookOf = (configFile: string, flags: FlagValues): NonNullable<AuditSettings['webhook']> => ({
  ...deliveryOf('audit-webhook', flags),
  configFile,
  firstDelayMs: flags.milliseconds('audit-webhook-initial-backoff') ?? 0,
});

function deliveryOf(place: 'audit-log' | 'audit-webhook', flags: FlagValues): DeliverySettings {
  const number = (name: string): number => flags.number(`${place}-${name}`) ?? 0;
  const throttle = { perSecond: number('batch-throttle-qps'), burst: number('batch-throttle-burst') };
  const isThrottled = flags.isOn(`${place}-batch-throttle-enable`);
  if (isThrottled && (throttle.perSecond <= 0 || throttle.burst < 1)) {
    throw new UsageError(`--${place}-batch-throttle-enable needs --${place}-batch-throttle-qps above 0 and --${place}-batch-throttle-burst from 1 on`);
  }
  return {
    mode: flags.text(`${place}-mode`) as AuditMode,
    batch: {
      bufferSize: number('batch-buffer-size'),
      maxSize: number('batch-max-size'),
      maxWaitMs: flags.milliseconds(`${place}-batch-max-wait`) ?? 0,
      ...(isThrottled ? { throttle } : {}),
    },
    ...(flags.isOn(`${place}-truncate-enabled`) ? { truncate: truncateOf(place, number) } : {}),
  };
}

function truncateOf(place: string, number: (name: string) => number): NonNullable<DeliverySettings['truncate']> {
  const [maxEventBytes, maxBatchBytes] = [number('truncate-max-event-size'), number('truncate-max-batch-size')];
  if (maxBatchBytes < maxEventBytes) throw new UsageError(`--${place}-truncate-max-batch-size is ${maxBatchBytes}, and must not be below --${place}-truncate-max-event-size, which is ${maxEventBytes}`);
  return { maxEventBytes, maxBatchBytes };
}
