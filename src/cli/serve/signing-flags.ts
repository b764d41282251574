import { checkAuthority, type IdentityFiles, type ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

const CERT = 'cluster-signing-cert-file';
const KEY = 'cluster-signing-key-file';

/** What flags say about signing certificates; the own authority signs where they name none. Throws `UsageError` that names the flag. */
export async function readSigningOptions(flags: FlagValues, own: IdentityFiles['authority']): Promise<NonNullable<ServerOptions['certificateSigning']>> {
  const [cert, key] = await Promise.all([readFlagFile(flags, CERT), readFlagFile(flags, KEY)]);
  if ((cert === undefined) !== (key === undefined)) throw new UsageError(`--${CERT} and --${KEY} belong together: one is missing`);
  const longestMs = flags.milliseconds('cluster-signing-duration');
  if (longestMs !== undefined && longestMs <= 0) throw new UsageError('--cluster-signing-duration must be longer than 0s');
  return { authority: cert === undefined || key === undefined ? own : checked({ cert, key }), ...(longestMs === undefined ? {} : { longestMs }) };
}

function checked(pair: IdentityFiles['authority']): IdentityFiles['authority'] {
  try {
    checkAuthority(pair);
    return pair;
  } catch (cause) {
    throw new UsageError(`--${CERT}, --${KEY}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
