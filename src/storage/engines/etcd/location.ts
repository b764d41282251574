import type { EngineOptions } from '../../driver.ts';
import { readTlsFiles, wrong, type TlsFiles } from './tls-files.ts';

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
  const tls = await readTlsFiles(query);
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
  // It may hold a password, which is not repeated.
  if (member.includes('@')) throw wrong('it names a user, whom it cannot have: the certificate of a client says who it is, certfile and keyfile');
  // No host of the DNS has an underscore, but names that containers of one machine give one another may.
  const form = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/.exec(member);
  if (form === null) throw wrong(`${JSON.stringify(member)} is no address: give etcd://host:port, several separated by commas`);
  const port = form[2] ?? DEFAULT_PORT;
  if (Number(port) < 1 || Number(port) > 65_535) throw wrong(`${member} has no port between 1 and 65535`);
  return `${form[1]}:${port}`;
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
