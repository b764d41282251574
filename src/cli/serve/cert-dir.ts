import { failureText, makeFolder } from '#base';
import { readPair, writePair, type IdentityFiles } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

const FLAG = 'cert-dir';
/** Of the serving certificate and its key, as kube-apiserver calls them. */
const NAME = 'apiserver';

type Pair = IdentityFiles['serving'];

/** undefined without --cert-dir, or where --tls-cert-file says what is served. */
function folderOf(flags: FlagValues): string | undefined {
  const isElsewhere = flags.text('tls-cert-file') !== undefined || flags.text('tls-private-key-file') !== undefined;
  return isElsewhere ? undefined : flags.text(FLAG);
}

/** The serving certificate and key in --cert-dir; undefined: there are none, or none are wanted. Throws `UsageError`. */
export async function readCertDir(flags: FlagValues): Promise<Pair | undefined> {
  const folder = folderOf(flags);
  return folder === undefined ? undefined : explained(folder, () => readPair(folder, NAME));
}

/**
 * Puts the own serving certificate, with the authority that clients are to trust, and its key into --cert-dir where none are: who gave the folder
 * looks for them there. Throws `UsageError`.
 */
export async function fillCertDir(flags: FlagValues, { authority, serving }: IdentityFiles): Promise<void> {
  const folder = folderOf(flags);
  if (folder === undefined || (await readCertDir(flags)) !== undefined) return;
  await explained(folder, async () => {
    makeFolder(folder);
    await writePair(folder, NAME, { cert: `${serving.cert.trimEnd()}\n${authority.cert}`, key: serving.key });
  });
}

async function explained<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new UsageError(`--${FLAG}: cannot use ${folder}: ${failureText(cause)}`);
  }
}
