import { createSecureContext } from 'node:tls';
import { readAnew, type ClientCertificate } from '#transport';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

/**
 * A client certificate and its key, from the files that two flags name. `current` reads replaced files again, and returns the new pair once
 * certificate and key match. undefined: neither flag is given. Throws `UsageError`.
 */
export async function readGivenPair(flags: FlagValues, certFlag: string, keyFlag: string): Promise<ClientCertificate | undefined> {
  const read = async (): Promise<ClientCertificate | undefined> => {
    const [cert, key] = await Promise.all([readFlagFile(flags, certFlag), readFlagFile(flags, keyFlag)]);
    if ((cert === undefined) !== (key === undefined)) throw new UsageError(`--${certFlag} and --${keyFlag} belong together`);
    return cert === undefined || key === undefined ? undefined : { cert, key };
  };
  const first = await read();
  if (first === undefined) return undefined;
  const current = readAnew(first, async () => {
    const next = (await read()) ?? first;
    createSecureContext({ cert: next.cert, key: next.key });
    return next;
  });
  return { ...first, current };
}
