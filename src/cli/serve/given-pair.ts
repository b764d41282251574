import { checkCertificatePair, failureText, type Log } from '#base';
import { readAnew, type ClientCertificate } from '#transport';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

/**
 * A client certificate and its key, from the files that two flags name. `current` reads replaced files again, and returns the new pair once
 * certificate and key match; until then the log says why not. undefined: neither flag is given. Throws `UsageError`.
 */
export async function readGivenPair(flags: FlagValues, [certFlag, keyFlag]: readonly [string, string], log: Pick<Log, 'error'>): Promise<ClientCertificate | undefined> {
  const read = async (): Promise<ClientCertificate | undefined> => {
    const [cert, key] = await Promise.all([readFlagFile(flags, certFlag), readFlagFile(flags, keyFlag)]);
    if ((cert === undefined) !== (key === undefined)) throw new UsageError(`--${certFlag} and --${keyFlag} belong together`);
    return cert === undefined || key === undefined ? undefined : { cert, key };
  };
  const first = await read();
  if (first === undefined) return undefined;
  const readMatching = async (): Promise<ClientCertificate> => {
    const next = (await read()) ?? first;
    checkMatching(next, flags, [certFlag, keyFlag]);
    return next;
  };
  const current = readAnew(first, readMatching, { failed: (why) => log.error('the new certificate cannot be used, the old one stays', { why }) });
  return { ...first, current };
}

/** Throws `UsageError` that names flags and files unless the key is that of the certificate. */
export function checkMatching({ cert, key }: ClientCertificate, flags: FlagValues, [certFlag, keyFlag]: readonly [string, string]): void {
  try {
    checkCertificatePair({ cert, key });
  } catch (cause) {
    const files = `${flags.text(certFlag) ?? ''} and ${flags.text(keyFlag) ?? ''}`;
    throw new UsageError(`--${certFlag}, --${keyFlag}: ${files} are not a PEM certificate and its key: ${failureText(cause)}`);
  }
}
