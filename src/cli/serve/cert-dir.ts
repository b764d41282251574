import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writePrivate, type IdentityFiles } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

const FLAG = 'cert-dir';

/** Where --cert-dir has the serving certificate and its key; undefined without that flag, or where --tls-cert-file says it. */
function filesOf(flags: FlagValues): { readonly cert: string; readonly key: string } | undefined {
  const folder = flags.text(FLAG);
  const isElsewhere = flags.text('tls-cert-file') !== undefined || flags.text('tls-private-key-file') !== undefined;
  return folder === undefined || isElsewhere ? undefined : { cert: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') };
}

/** The serving certificate and key in --cert-dir; undefined: there are none, or none are wanted. Throws `UsageError`. */
export async function readCertDir(flags: FlagValues): Promise<{ readonly cert: string; readonly key: string } | undefined> {
  const files = filesOf(flags);
  if (files === undefined) return undefined;
  const [cert, key] = await inFolder(flags, () => Promise.all([readIfThere(files.cert), readIfThere(files.key)]));
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/**
 * Puts the own serving certificate, with the authority that clients are to trust, and its key into --cert-dir where none are: who gave the folder
 * looks for them there. Throws `UsageError`.
 */
export async function fillCertDir(flags: FlagValues, { authority, serving }: IdentityFiles): Promise<void> {
  const files = filesOf(flags);
  if (files === undefined || (await readCertDir(flags)) !== undefined) return;
  await inFolder(flags, async () => {
    await mkdir(join(files.cert, '..'), { recursive: true, mode: 0o700 });
    await writePrivate(files.key, serving.key);
    await writePrivate(files.cert, `${serving.cert.trimEnd()}\n${authority.cert}`);
  });
}

async function inFolder<T>(flags: FlagValues, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new UsageError(`--${FLAG}: cannot use ${flags.text(FLAG) ?? ''}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
