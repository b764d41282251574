import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { failureText } from '#base';
import { readAdmissionConfiguration } from '#admission';
import { parseYaml, YamlError } from '#codec';

/**
 * The configuration of admission plugins by their name, from an AdmissionConfiguration file and the files it names.
 * Throws an `Error` that names the file and what is wrong with it.
 * @spec 2.8
 */
export async function readAdmissionConfigurationFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const document = await readYaml(file);
  const configs = explaining(file, () => readAdmissionConfiguration(document));
  const entries = configs.map(async ({ name, path, configuration }) => {
    return [name, path === undefined ? configuration : await readYaml(resolve(dirname(file), path))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function readYaml(file: string): Promise<unknown> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw new Error(`admission configuration ${file} cannot be read: ${failureText(cause)}`, { cause });
  }
  return explaining(file, () => parseYaml(bytes));
}

function explaining<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof YamlError) throw new Error(`admission configuration ${file} is not YAML: ${cause.message}`, { cause });
    throw new Error(`admission configuration ${file}: ${failureText(cause)}`, { cause });
  }
}
