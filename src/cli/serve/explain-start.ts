import { failureText } from '#base';
import { FLAGS } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

/** Explanations of system errors at startup, with the flag that helps. */
const SYSTEM_ERRORS: Readonly<Record<string, (flags: FlagValues, place: Place) => string>> = {
  EADDRINUSE: (flags, { flag, port, host }) =>
    flags.number('insecure-port') === port && flags.number('secure-port') === port
      ? `port ${port} is that of both --secure-port and --insecure-port: give one of them another one (0: any free one)`
      : `port ${port} on ${host} is taken by another program: stop it, or give another port with --${flag} (0: any free one)`,
  EADDRNOTAVAIL: (flags) => `--bind-address ${flags.text('bind-address') ?? ''} is not an address of this machine`,
  ENOTFOUND: (flags) => `--bind-address ${flags.text('bind-address') ?? ''} is not an address of this machine`,
};

/** Where a server listens, and the flag of its port. */
interface Place {
  readonly flag: 'secure-port' | 'insecure-port';
  readonly port: number;
  readonly host: string;
}

/** The place that a system error is about; that of HTTPS where it does not say. */
function placeOf(cause: Error, flags: FlagValues): Place {
  const [secure, insecure] = [flags.number('secure-port') ?? 0, flags.number('insecure-port')];
  const port = 'port' in cause ? cause.port : secure;
  if (insecure !== undefined && port === insecure && port !== secure) return { flag: 'insecure-port', port: insecure, host: '127.0.0.1' };
  return { flag: 'secure-port', port: secure, host: flags.text('bind-address') ?? '' };
}

/** What messages about options begin with, and what stands in its place for those who gave flags. */
const BEGINNINGS: readonly (readonly [beginning: string, told: (flags: FlagValues) => string])[] = [
  ['token file, ', (flags) => `--token-auth-file: ${flags.text('token-auth-file') ?? ''}, `],
  ['audit policy, ', (flags) => `--audit-policy-file: ${flags.text('audit-policy-file') ?? ''}: `],
  ['audit policy: ', (flags) => `--audit-policy-file: ${flags.text('audit-policy-file') ?? ''}: `],
  ['encryption configuration', () => '--encryption-provider-config: encryption configuration'],
  ['admission plugin ', () => '--enable-admission-plugins, --disable-admission-plugins: admission plugin '],
  ['runtime configuration ', () => '--runtime-config: '],
  ['there is no controller ', () => '--controllers: there is no controller '],
  ['no storage engine for ', () => '--store: no storage engine for '],
  ['the address of etcd: ', (flags) => (flags.given.has('etcd-servers') ? '--etcd-servers: ' : '--store: ')],
  ...['cafile', 'certfile', 'keyfile'].map((file) => [`the ${file} of etcd `, (flags: FlagValues) => (flags.given.has(`etcd-${file}`) ? `--etcd-${file}: it ` : `--store: its ${file} `)] as const),
  ['the store was written in the dialect ', () => '--dialect: the store was written in the dialect '],
  ['the store needs a folder', () => '--store: the store needs a folder'],
];

/** Other messages about options begin with the name of the flag. A name of one word may be anything. */
const FLAG_FIRST = /^(--)?([a-z\d]+-[a-z\d-]+)(?:: | and --)/;

/** A message about an option in the words of its flag; undefined: it is about something else. */
function aboutFlags(message: string, flags: FlagValues): string | undefined {
  for (const [beginning, told] of BEGINNINGS) if (message.startsWith(beginning)) return told(flags) + message.slice(beginning.length);
  const [, dashes, name] = FLAG_FIRST.exec(message) ?? [];
  if (!FLAGS.some((flag) => flag.name === name)) return undefined;
  return dashes === undefined ? `--${message}` : message;
}

/** A startup failure, reworded so that it names the flag. Unknown failures are returned as they are. */
export function explainStart(cause: unknown, flags: FlagValues): unknown {
  if (!(cause instanceof Error)) return cause;
  const told = aboutFlags(cause.message, flags);
  if (told !== undefined) return new UsageError(told);
  const code = 'code' in cause ? String(cause.code) : '';
  const place = placeOf(cause, flags);
  const isListen = 'syscall' in cause && cause.syscall === 'listen';
  if (code === 'EACCES' && isListen) {
    return new Error(`port ${place.port} is reserved for the administrator: give one above 1023 with --${place.flag}`, { cause });
  }
  const explain = SYSTEM_ERRORS[code];
  return explain === undefined ? cause : new Error(explain(flags, place), { cause });
}

/** The error for a data folder that cannot be created or written. */
export const dataDirFailure = (folder: string, cause: unknown): Error =>
  new Error(`the data folder ${folder} cannot be used: ${failureText(cause)}; give another one with --data-dir`, { cause });
