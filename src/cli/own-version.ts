import { readFile } from 'node:fs/promises';
import { textAt } from '#base';

/** The version of this program. */
export async function ownVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL(import.meta.resolve('#package.json')), 'utf8'));
  return textAt(manifest, 'version');
}
