import { createSecureContext } from 'node:tls';
import { failureText } from '#base';
import type { ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readGivenPair } from './given-pair.ts';

const CERT = 'proxy-client-cert-file';
const KEY = 'proxy-client-key-file';

/** The options about aggregated API servers from the flags, with files read. Throws `UsageError`. */
export async function readGivenAggregation(flags: FlagValues): Promise<NonNullable<ServerOptions['aggregation']>> {
  const proxyCertificate = await readGivenPair(flags, CERT, KEY);
  if (proxyCertificate === undefined) return {};
  try {
    createSecureContext({ cert: proxyCertificate.cert, key: proxyCertificate.key });
  } catch (cause) {
    const files = `${flags.text(CERT) ?? ''} and ${flags.text(KEY) ?? ''}`;
    throw new UsageError(`--${CERT}, --${KEY}: ${files} are not a PEM certificate and its key: ${failureText(cause)}`);
  }
  return { proxyCertificate };
}
