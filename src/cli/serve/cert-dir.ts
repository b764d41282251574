import { failureText, makeFolder } from '#base';
import { isGenerated, readPair, writePair, type IdentityFiles } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

const FLAG = 'cert-dir';
/** Base name of the files of serving certificate and key, as in kube-apiserver. */
const NAME = 'apiserver';

type Pair = IdentityFiles['serving'];

/** The folder of --cert-dir; undefined without that flag, or where other flags name the serving certificate. */
function folderOf(flags: FlagValues): string | undefined {
  const isElsewhere = flags.text('tls-cert-file') !== undefined || flags.text('tls-private-key-file') !== undefined;
  return isElsewhere ? undefined : flags.text(FLAG);
}

/** The serving certificate and key in --cert-dir; undefined: the folder has none, or the flags do not ask for it. Throws `UsageError`. */
export async function readCertDir(flags: FlagValues): Promise<Pair | undefined> {
  const folder = folderOf(flags);
  return folder === undefined ? undefined : explained(folder, () => readPair(folder, NAME));
}

/**
 * Writes the generated serving certificate, with the CA certificate that clients are to trust, and its key to --cert-dir where it has none, since
 * users of that flag expect the files there. One that was written so and has been exchanged since is replaced: it would end there. Throws `UsageError`.
 */
export async function fillCertDir(flags: FlagValues, authority: Pair, generated: () => Promise<Pair>): Promise<void> {
  const folder = folderOf(flags);
  const kept = await readCertDir(flags);
  if (folder === undefined || (kept !== undefined && !isGenerated(kept.cert, authority))) return;
  const serving = await generated();
  const cert = `${serving.cert.trimEnd()}\n${authority.cert}`;
  if (kept?.cert === cert) return;
  await explained(folder, async () => {
    makeFolder(folder);
    await writePair(folder, NAME, { cert, key: serving.key });
  });
}

async function explained<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new UsageError(`--${FLAG}: cannot use ${folder}: ${failureText(cause)}`);
  }
}
