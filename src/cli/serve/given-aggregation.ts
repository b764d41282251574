import { silentLog, type Log } from '#base';
import type { ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { checkMatching, readGivenPair } from './given-pair.ts';

const PAIR = ['proxy-client-cert-file', 'proxy-client-key-file'] as const;

/** The options about aggregated API servers from the flags, with files read. Throws `UsageError`. */
export async function readGivenAggregation(flags: FlagValues, log: Log = silentLog): Promise<NonNullable<ServerOptions['aggregation']>> {
  const proxyCertificate = await readGivenPair(flags, PAIR, log);
  if (proxyCertificate === undefined) return {};
  checkMatching(proxyCertificate, flags, PAIR);
  return { proxyCertificate };
}
