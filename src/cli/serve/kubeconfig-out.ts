import { readFile, stat } from 'node:fs/promises';
import { listAt, textAt } from '#base';
import { KUBECONFIG_NAMES } from '#server';
import type { FlagValues } from '../parse-flags.ts';

/** A larger file is none that this program wrote. */
const MAX_BYTES = 1_000_000;

/**
 * Throws an `Error` where the file that --kubeconfig-out names holds more than what this program writes there, such as other clusters: it would be
 * lost. What kubectl changed in a file of this program, as the namespace, counts for nothing.
 */
export async function checkKubeconfigOut(flags: FlagValues): Promise<void> {
  const path = flags.text('kubeconfig-out');
  if (path === undefined || (await mayBeReplaced(path))) return;
  throw new Error(`--kubeconfig-out: ${path} is not a kubeconfig of this program and stays as it is: name another file, or move this one away; kubectl reads several, KUBECONFIG=one:other`);
}

async function mayBeReplaced(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  // Where nothing can be written, the attempt says why.
  if (found === undefined || found.isDirectory()) return true;
  if (!found.isFile() || found.size > MAX_BYTES) return false;
  return found.size === 0 || isOwn(await readFile(path).catch(() => new Uint8Array()));
}

/** Whether a kubeconfig holds one cluster, one user and one context, each called as this program calls it. */
async function isOwn(bytes: Uint8Array): Promise<boolean> {
  // The YAML parser is loaded only where there is a file.
  const { parseYaml, YamlError } = await import('#codec');
  try {
    const config = parseYaml(bytes);
    return Object.entries(KUBECONFIG_NAMES).every(([list, name]) => isOnly(listAt(config, list), name));
  } catch (cause) {
    if (cause instanceof YamlError) return false;
    throw cause;
  }
}

const isOnly = (entries: readonly unknown[], name: string): boolean => entries.length === 1 && textAt(entries[0], 'name') === name;
