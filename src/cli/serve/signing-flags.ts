import { failureText } from '#base';
import { checkAuthority, type IdentityFiles, type ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readFlagFile } from './given-files.ts';

type Signing = NonNullable<ServerOptions['certificateSigning']>;
type Pair = IdentityFiles['authority'];

/** The part of a flag name between `cluster-signing-` and `cert-file` or `key-file`, by signer. */
const SIGNERS: Readonly<Record<keyof NonNullable<Signing['bySigner']>, string>> = {
  clientSigner: 'kube-apiserver-client-',
  nodeClientSigner: 'kubelet-client-',
  nodeServingSigner: 'kubelet-serving-',
  legacySigner: 'legacy-unknown-',
};

/** The options for signing certificates from the flags; default: `own`, the server's own authority. Throws `UsageError` that names the flag. */
export async function readSigningOptions(flags: FlagValues, own: Pair): Promise<Signing> {
  const longestMs = flags.milliseconds('cluster-signing-duration');
  if (longestMs !== undefined && longestMs <= 0) throw new UsageError('--cluster-signing-duration must be longer than 0s');
  const bySigner: Record<string, Pair> = {};
  for (const [signer, word] of Object.entries(SIGNERS)) {
    const pair = await readPair(flags, word);
    if (pair !== undefined) bySigner[signer] = pair;
  }
  return { authority: (await readPair(flags, '')) ?? own, bySigner, ...(longestMs === undefined ? {} : { longestMs }) };
}

async function readPair(flags: FlagValues, signer: string): Promise<Pair | undefined> {
  const [certFlag, keyFlag] = [`cluster-signing-${signer}cert-file`, `cluster-signing-${signer}key-file`];
  const [cert, key] = await Promise.all([readFlagFile(flags, certFlag), readFlagFile(flags, keyFlag)]);
  if ((cert === undefined) !== (key === undefined)) throw new UsageError(`--${certFlag} and --${keyFlag} belong together: one is missing`);
  if (cert === undefined || key === undefined) return undefined;
  try {
    checkAuthority({ cert, key });
    return { cert, key };
  } catch (cause) {
    throw new UsageError(`--${certFlag}, --${keyFlag}: ${failureText(cause)}`);
  }
}
