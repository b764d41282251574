import { readFile } from 'node:fs/promises';
import { failureText } from '#base';
import { StorageFailure, type EngineOptions } from '../../engine.ts';

/** The settings of an `etcd://` URL. */
export interface Location {
  /** `host:port` of each member. */
  readonly members: readonly string[];
  /** Absent: no TLS. */
  readonly tls?: TlsFiles;
  /** The prefix of all keys of this server; ends in `/`. Other keys belong to other programs. */
  readonly root: string;
  /** The interval of compaction; 0: another program compacts. */
  readonly compactionMs: number;
}

/** The contents of the TLS files, as PEM. */
export interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Reads the files again. Throws `StorageFailure`. */
  readonly current: () => Promise<TlsFiles>;
}

const DEFAULT_PORT = 2379;
const KNOWN = ['prefix', 'tls', 'cafile', 'certfile', 'keyfile', 'compaction-seconds'];

/**
 * Reads `host:port,host:port?prefix=/registry&tls=true&cafile=…&certfile=…&keyfile=…&compaction-seconds=300`. A file turns TLS on.
 * Throws `StorageFailure`.
 */
export async function readLocation({ location, historySeconds }: EngineOptions): Promise<Location> {
  const split = location.indexOf('?');
  const members = (split < 0 ? location : location.slice(0, split)).split(',').map(memberOf);
  const query = new URLSearchParams(split < 0 ? '' : location.slice(split + 1));
  for (const name of query.keys()) if (!KNOWN.includes(name)) throw wrong(`${name} is not known; choose from ${KNOWN.join(', ')}`);
  const tls = await readTls(query);
  if ((tls.cert === undefined) !== (tls.key === undefined)) throw wrong('a client certificate needs both certfile and keyfile');
  const isSecure = wantsTls(query.get('tls')) || tls.ca !== undefined || tls.cert !== undefined;
  return {
    members,
    root: rootOf(query.get('prefix') ?? ''),
    compactionMs: secondsOf(query.get('compaction-seconds'), historySeconds) * 1000,
    ...(isSecure ? { tls } : {}),
  };
}

function memberOf(text: string): string {
  const member = text.trim();
  const form = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?$/.exec(member);
  if (form === null) throw wrong(`${JSON.stringify(member)} is no address: give etcd://host:port, several separated by commas`);
  return form[2] === undefined ? `${member}:${DEFAULT_PORT}` : member;
}

const rootOf = (prefix: string): string => {
  const parts = prefix.split('/').filter((part) => part !== '');
  return parts.length === 0 ? '/' : `/${parts.join('/')}/`;
};

function secondsOf(text: string | null, otherwise: number): number {
  if (text === null) return otherwise;
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds >= 0)) throw wrong(`compaction-seconds=${text} is no number of seconds`);
  return seconds;
}

/** Whoever writes `tls=1` does not want a connection that anybody can read. */
function wantsTls(text: string | null): boolean {
  if (text !== null && text !== 'true' && text !== 'false') throw wrong(`tls=${text} is neither true nor false`);
  return text === 'true';
}

async function readTls(query: URLSearchParams): Promise<TlsFiles> {
  const [ca, cert, key] = await Promise.all(['cafile', 'certfile', 'keyfile'].map((name) => readPem(name, query.get(name))));
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), current: () => readTls(query) };
}

async function readPem(name: string, path: string | null): Promise<Buffer | undefined> {
  if (path === null) return undefined;
  // From a variable that is not set, perhaps: without TLS anybody could read what it was to protect.
  if (path === '') throw wrong(`${name}= names no file: leave it out, or name one`);
  try {
    return await readFile(path);
  } catch (cause) {
    throw new StorageFailure('unavailable', `the ${name} of etcd cannot be read: ${failureText(cause)}`, { cause });
  }
}

const wrong = (message: string): StorageFailure => new StorageFailure('unavailable', `the address of etcd: ${message}`);
