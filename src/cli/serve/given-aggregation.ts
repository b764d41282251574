import { createSecureContext } from 'node:tls';
import type { ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

const CERT = 'proxy-client-cert-file';
const KEY = 'proxy-client-key-file';

/** What flags say about APIs of other servers, files read. Throws `UsageError`. */
export async function readGivenAggregation(flags: FlagValues): Promise<NonNullable<ServerOptions['aggregation']>> {
  const [cert, key] = await Promise.all([readFlagFile(flags, CERT), readFlagFile(flags, KEY)]);
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) throw new UsageError(`--${CERT} and --${KEY} belong together`);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const files = `${flags.text(CERT) ?? ''} and ${flags.text(KEY) ?? ''}`;
    throw new UsageError(`--${CERT}, --${KEY}: ${files} are not a PEM certificate and its key: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  return { proxyCertificate: { cert, key } };
}
