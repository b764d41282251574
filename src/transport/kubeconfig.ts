import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { failureText, isJsonObject } from '#base';
import { parseYaml, YamlError } from '#codec';
import { ConfigReader, type ConfigMap } from './config-value.ts';
import type { ClientCertificate, Connection } from './connection.ts';
import { TransportFailure } from './failure.ts';
import { readAnew } from './read-anew.ts';

/** A named entry of a kubeconfig, and the file it is in: paths in it are relative to that file. */
interface Part {
  readonly value: ConfigMap;
  readonly file: string;
}

/** Several kubeconfig files merged: clusters, users and contexts by kind and name, and the current context. */
export interface Merged {
  readonly parts: ReadonlyMap<string, Part>;
  readonly current: string | undefined;
}

const LISTS = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;
type ListName = keyof typeof LISTS;

/**
 * The connection that the current context of a kubeconfig describes. `paths` may name several files, separated as in `PATH`: those that are missing are
 * passed over, unless all are, and of parts with the same name the first one counts. Throws `TransportFailure` that names the file and the part.
 */
export async function readKubeconfig(paths: string): Promise<Connection> {
  const files = paths.split(delimiter).filter((path) => path !== '');
  const there = files.filter((file) => existsSync(file));
  const merged = merge(await Promise.all((there.length > 0 ? there : files).map(async (file) => ({ file, config: await readKubeconfigFile(file) }))));
  if (merged.current === undefined) throw wrong(paths, 'has no current-context: it must say which of its contexts to use');
  const context = partOf(merged, 'contexts', merged.current, paths);
  const reader = readerOf(context, `context ${JSON.stringify(merged.current)}`);
  const clusterName = reader.text('cluster');
  if (clusterName === undefined) throw reader.wrong('cluster', 'is missing');
  const userName = reader.text('user');
  const cluster = partOf(merged, 'clusters', clusterName, paths);
  return {
    ...(await readCluster(cluster, clusterName)),
    ...(userName === undefined ? {} : await readUser(partOf(merged, 'users', userName, paths), userName)),
    namespace: reader.text('namespace') ?? 'default',
  };
}

/** One file. */
export async function readKubeconfigFile(file: string): Promise<ConfigMap> {
  const bytes = await readOrExplain(file, `kubeconfig ${file}`);
  let config: unknown;
  try {
    config = parseYaml(bytes);
  } catch (cause) {
    if (cause instanceof YamlError) throw wrong(file, `is not YAML: ${cause.message}`);
    throw cause;
  }
  if (!isJsonObject(config)) throw wrong(file, 'is empty or not a map');
  return config;
}

/** Merges kubeconfig files: of entries with one name the first counts. Throws `TransportFailure` that names file and entry. */
export function merge(configs: readonly { readonly file: string; readonly config: ConfigMap }[]): Merged {
  const parts = new Map<string, Part>();
  let current: string | undefined;
  for (const { file, config } of configs) {
    current ??= new ConfigReader(config, `kubeconfig ${file}`).text('current-context');
    for (const list of Object.keys(LISTS) as ListName[]) {
      for (const { name, value } of entriesOf(config, list, file)) {
        const key = `${list} ${name}`;
        if (!parts.has(key)) parts.set(key, { value, file });
      }
    }
  }
  return { parts, current };
}

function entriesOf(config: ConfigMap, list: ListName, file: string): readonly { readonly name: string; readonly value: ConfigMap }[] {
  const entries = Object.hasOwn(config, list) ? (config[list] ?? []) : [];
  if (!Array.isArray(entries)) throw wrong(file, `: ${list} must be a list`);
  return entries.map((entry: unknown, at) => {
    const { name, [LISTS[list]]: value }: ConfigMap = isJsonObject(entry) ? entry : {};
    if (typeof name !== 'string' || !isJsonObject(value ?? {})) throw wrong(file, `: ${list}[${at}] must have a name and a ${LISTS[list]}`);
    return { name, value: (value ?? {}) as ConfigMap };
  });
}

function partOf({ parts }: Merged, list: ListName, name: string, paths: string): Part {
  const part = parts.get(`${list} ${name}`);
  if (part === undefined) throw wrong(paths, `has no ${LISTS[list]} ${JSON.stringify(name)}`);
  return part;
}

export const readerOf = (part: Part, what: string): ConfigReader => new ConfigReader(part.value, `kubeconfig ${part.file}, ${what}`);

async function readCluster(part: Part, name: string): Promise<Pick<Connection, 'server' | 'authority' | 'serverName' | 'isVerified'>> {
  const reader = readerOf(part, `cluster ${JSON.stringify(name)}`);
  const server = reader.text('server');
  if (server === undefined) throw reader.wrong('server', 'is missing');
  if (!/^https?:\/\/[^@]+$/.test(server) || !URL.canParse(server)) throw reader.wrong('server', 'must be an address such as https://127.0.0.1:6443');
  if (reader.has('proxy-url')) throw reader.wrong('proxy-url', 'is not supported by this program');
  const authority = await readPem(reader, part, 'certificate-authority');
  const serverName = reader.text('tls-server-name');
  const isVerified = !reader.isTrue('insecure-skip-tls-verify');
  if (!isVerified && authority !== undefined) throw reader.wrong('insecure-skip-tls-verify', 'and certificate-authority contradict each other: keep one');
  return { server, isVerified, ...(authority === undefined ? {} : { authority }), ...(serverName === undefined ? {} : { serverName }) };
}

/** Unsupported authentication methods, which need another program or protocol. */
const UNSUPPORTED = ['exec', 'auth-provider', 'username', 'as', 'as-uid', 'as-groups', 'as-user-extra'] as const;

/** The credentials of a user. Rejects with `TransportFailure` for unsupported methods, and for files that cannot be read. */
export async function readUser(part: Part, name: string): Promise<Pick<Connection, 'clientCertificate' | 'token'>> {
  const reader = readerOf(part, `user ${JSON.stringify(name)}`);
  for (const member of UNSUPPORTED) {
    if (reader.has(member)) throw reader.wrong(member, 'is not supported by this program: give a token or a client certificate');
  }
  const token = readToken(reader, part);
  return { ...(await readCertificate(reader, part)), ...(token === undefined ? {} : { token }) };
}

/** From files, the certificate is read again for later calls, as other clients do. */
async function readCertificate(reader: ConfigReader, part: Part): Promise<Pick<Connection, 'clientCertificate'>> {
  const read = async (): Promise<ClientCertificate | undefined> => {
    const [cert, key] = [await readPem(reader, part, 'client-certificate'), await readPem(reader, part, 'client-key')];
    if ((cert === undefined) !== (key === undefined)) throw reader.wrong('client-certificate', 'and client-key belong together: give both');
    return cert === undefined || key === undefined ? undefined : { cert, key };
  };
  const first = await read();
  if (first === undefined) return {};
  const isInside = reader.has('client-certificate-data') || reader.has('client-key-data');
  return { clientCertificate: isInside ? first : { ...first, current: readAnew(first, async () => (await read()) ?? first) } };
}

/** Where both forms are given, the file counts. While it cannot be read, or is written, the token that it held before is used. */
function readToken(reader: ConfigReader, part: Part): (() => Promise<string>) | undefined {
  const file = reader.text('tokenFile');
  if (file !== undefined) {
    const path = resolve(dirname(part.file), file);
    let last: string | undefined;
    return async () => {
      try {
        last = checkToken((await readOrExplain(path, `token file ${path}`)).toString('utf8').trim(), reader, 'tokenFile');
      } catch (cause) {
        if (last === undefined) throw cause;
      }
      return last;
    };
  }
  const token = reader.text('token');
  if (token === undefined) return undefined;
  const checked = checkToken(token, reader, 'token');
  return async () => checked;
}

function checkToken(token: string, reader: ConfigReader, member: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw reader.wrong(member, 'must be one word of printable ASCII');
  return token;
}

/** `<name>-data` in the file itself, or the file that `<name>` names. */
async function readPem(reader: ConfigReader, part: Part, name: string): Promise<string | undefined> {
  const inside = reader.decoded(`${name}-data`);
  if (inside !== undefined) return inside;
  const file = reader.text(name);
  if (file === undefined) return undefined;
  return (await readOrExplain(resolve(dirname(part.file), file), `${name} of kubeconfig ${part.file}`)).toString('utf8');
}

async function readOrExplain(file: string, what: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new TransportFailure('configuration', `${what} cannot be read: ${failureText(cause)}`, { cause });
  }
}

const wrong = (paths: string, why: string): TransportFailure =>
  new TransportFailure('configuration', `kubeconfig ${paths}${why.startsWith(':') ? '' : ' '}${why}`);
