import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { failureText, isJsonObject, JsonSyntaxError, listAt, memberIn, parseJson, type JsonObject } from '#base';
import { parseYaml, YamlError } from '#codec';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { splitDocuments } from './split-documents.ts';

/** An object read from a file. */
export interface Manifest {
  readonly object: Readonly<JsonObject>;
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty where the server is to generate it. */
  readonly name: string;
  /** Empty where the file does not name one. */
  readonly namespace: string;
  /** Position in the input, for messages. */
  readonly where: string;
}

/** Reads the objects of files, folders and `-`, in order; lists are expanded. Throws `UsageError` that names file and line. */
export async function loadManifests(sources: readonly string[], terminal: Terminal): Promise<readonly Manifest[]> {
  if (sources.length === 0) throw new UsageError('which file? Give it with -f; -f - reads the standard input');
  const manifests: Manifest[] = [];
  for (const source of sources) {
    for (const file of await filesOf(source)) manifests.push(...readManifests(await readSource(file, terminal), file === '-' ? 'standard input' : file));
  }
  if (manifests.length === 0) throw new UsageError(`there is no object in ${sources.join(', ')}`);
  return manifests;
}

async function filesOf(source: string): Promise<readonly string[]> {
  if (source === '-') return [source];
  const isFolder = (await orExplain(source, () => stat(source))).isDirectory();
  if (!isFolder) return [source];
  const names = await orExplain(source, () => readdir(source));
  return names.filter((name) => /\.(?:ya?ml|json)$/.test(name)).sort().map((name) => join(source, name));
}

const readSource = (file: string, terminal: Terminal): Promise<Uint8Array> => (file === '-' ? terminal.readInput() : orExplain(file, () => readFile(file)));

async function orExplain<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new UsageError(`cannot read ${file}: ${failureText(cause)}`);
  }
}

function readManifests(bytes: Uint8Array, where: string): readonly Manifest[] {
  const text = new TextDecoder().decode(bytes);
  if (/^\s*\{/.test(text)) {
    const json = tryJson(bytes);
    if (json !== undefined) return toManifests(json.value, where);
  }
  const documents = splitDocuments(text);
  return documents.flatMap((document, at) =>
    toManifests(parseDocument(document.text, document.line, where), documents.length === 1 ? where : `${where}, document ${at + 1}`),
  );
}

/** Parses JSON; undefined: the text may still be YAML. */
function tryJson(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(bytes) };
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) return undefined;
    throw cause;
  }
}

/** Every line ends with a line break for kubectl, also the last one of a file that has none: a block of text there has it, too. */
function parseDocument(text: string, firstLine: number, where: string): unknown {
  try {
    return parseYaml(Buffer.from(text.endsWith('\n') ? text : `${text}\n`));
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    const message = cause.message.replace(/^yaml: /, '').replace(/^line (\d+)/, (_, line: string) => `line ${Number(line) + firstLine}`);
    throw new UsageError(`${where}: ${message}`);
  }
}

function toManifests(value: unknown, where: string): readonly Manifest[] {
  if (!isJsonObject(value)) throw new UsageError(`${where}: expected an object with apiVersion and kind`);
  const word = (...path: readonly string[]): string => wordAt(value, path, where);
  const apiVersion = word('apiVersion');
  const kind = word('kind');
  if (apiVersion === '') throw new UsageError(`${where}: apiVersion is missing`);
  if (kind === '') throw new UsageError(`${where}: kind is missing`);
  if (apiVersion === 'v1' && kind === 'List' && !Array.isArray(value['items'])) throw new UsageError(`${where}: items is missing, or no list: a List holds the objects there`);
  if (kind.endsWith('List') && Array.isArray(value['items'])) return listAt(value, 'items').flatMap((item, at) => toManifests(item, `${where}, items[${at}]`));
  return [{ object: value, apiVersion, kind, where, name: word('metadata', 'name'), namespace: word('metadata', 'namespace') }];
}

/** The text at a path; empty where there is none. YAML takes `y` for true and `2024` for a number, which are no names. */
function wordAt(value: unknown, path: readonly string[], where: string): string {
  const found = path.reduce(memberIn, value);
  if (typeof found !== 'boolean' && typeof found !== 'number') return typeof found === 'string' ? found : '';
  throw new UsageError(`${where}: ${path.join('.')} is ${typeof found === 'number' ? 'the number ' : ''}${found}, not a text: put it in quotes`);
}
