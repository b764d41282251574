import { MAX_GOAWAY_CHANCE, type ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

/** The options about request handling and metrics from the flags. Throws `UsageError` that names the flag. */
export function readGivenServing(flags: FlagValues): Pick<ServerOptions, 'serving' | 'metrics'> {
  const hiddenSince = checkedRelease(flags.text('show-hidden-metrics-for-version'));
  const maxStreams = flags.number('http2-max-streams-per-connection') ?? 0;
  const goawayChance = chanceOf(flags);
  const requestTimeoutMs = flags.milliseconds('request-timeout') ?? 0;
  if (requestTimeoutMs === 0) throw new UsageError('--request-timeout is a duration above 0s, as 60s');
  return {
    serving: {
      requestTimeoutMs,
      minWatchSeconds: flags.number('min-request-timeout') ?? 0,
      ...(maxStreams === 0 ? {} : { maxStreams }),
      ...(goawayChance === undefined ? {} : { goawayChance }),
      eventTtlSeconds: Math.ceil((flags.milliseconds('event-ttl') ?? 0) / 1000),
      deletionWorkers: flags.number('delete-collection-workers') ?? 1,
      corsOrigins: flags.words('cors-allowed-origins'),
      strictTransport: flags.words('strict-transport-security-directives'),
    },
    metrics: { disabled: flags.words('disabled-metrics'), allowedLabels: allowedLabelsOf(flags), ...(hiddenSince === undefined ? {} : { hiddenSince }) },
  };
}

function chanceOf(flags: FlagValues): number | undefined {
  const text = flags.text('goaway-chance');
  const chance = text === undefined ? 0 : Number(text);
  if (!(chance >= 0 && chance <= MAX_GOAWAY_CHANCE)) throw new UsageError(`--goaway-chance is a number from 0 to ${MAX_GOAWAY_CHANCE}, not ${JSON.stringify(text)}`);
  return text === undefined ? undefined : chance;
}

/** The previous release: the only one whose hidden metrics can be shown. */
const RELEASE_BEFORE = '1.22';

function checkedRelease(version: string | undefined): string | undefined {
  if (version === undefined || version === RELEASE_BEFORE) return version;
  throw new UsageError(`--show-hidden-metrics-for-version is the release before this one, ${RELEASE_BEFORE}, not ${JSON.stringify(version)}`);
}

/** Parses `metric,label='a,b'`, once per use of the flag. */
function allowedLabelsOf(flags: FlagValues): ReadonlyMap<string, readonly string[]> {
  const allowed = new Map<string, readonly string[]>();
  for (const text of flags.list('allow-metric-labels')) {
    const [whole, metric = '', label = '', values = ''] = /^([a-zA-Z_:][\w:]*),([a-zA-Z_]\w*)='?([^'=]*)'?$/.exec(text) ?? [];
    if (whole === undefined) throw new UsageError(`--allow-metric-labels: ${JSON.stringify(text)} is not written metric,label='value,value'`);
    allowed.set(`${metric},${label}`, values.split(','));
  }
  return allowed;
}
