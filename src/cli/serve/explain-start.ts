import { failureText } from '#base';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

/** Explanations of system errors at startup, with the flag that helps. */
const SYSTEM_ERRORS: Readonly<Record<string, (flags: FlagValues, text: string) => string>> = {
  EADDRINUSE: (flags) =>
    `${addressOf(flags)} is taken by another program: stop it, or give another port with --secure-port (0: any free one)`,
  EADDRNOTAVAIL: (flags) => `--bind-address ${flags.text('bind-address') ?? ''} is not an address of this machine`,
  ENOTFOUND: (flags) => `--bind-address ${flags.text('bind-address') ?? ''} is not an address of this machine`,
};

const addressOf = (flags: FlagValues): string => {
  const insecure = flags.number('insecure-port') ?? 0;
  const other = insecure === 0 ? '' : ` or port ${insecure} on 127.0.0.1`;
  return `port ${flags.number('secure-port') ?? 0} on ${flags.text('bind-address') ?? ''}${other}`;
};

/** Error messages about these options begin with the name of the flag. */
const FLAG_FIRST = /^(?:authorization|leader-elect|oidc|tls|requestheader|service-account)-[a-z-]+: /;

/** A startup failure, reworded so that it names the flag. Unknown failures are returned as they are. */
export function explainStart(cause: unknown, flags: FlagValues): unknown {
  if (!(cause instanceof Error)) return cause;
  if (cause.message.startsWith('token file, ')) {
    return new UsageError(`--token-auth-file: ${flags.text('token-auth-file') ?? ''}, ${cause.message.slice('token file, '.length)}`);
  }
  if (cause.message.startsWith('encryption configuration')) return new UsageError(`--encryption-provider-config: ${cause.message}`);
  if (cause.message.startsWith('admission plugin ')) return new UsageError(`--enable-admission-plugins, --disable-admission-plugins: ${cause.message}`);
  if (cause.message.startsWith('there is no controller ')) return new UsageError(`--controllers: ${cause.message}`);
  if (FLAG_FIRST.test(cause.message)) return new UsageError(`--${cause.message}`);
  const code = 'code' in cause ? String(cause.code) : '';
  const isListen = 'syscall' in cause && cause.syscall === 'listen';
  if (code === 'EACCES' && isListen) {
    return new Error(`port ${flags.number('secure-port') ?? 0} is reserved for the administrator: give one above 1023 with --secure-port`, { cause });
  }
  const explain = SYSTEM_ERRORS[code];
  return explain === undefined ? cause : new Error(explain(flags, cause.message), { cause });
}

/** The error for a data folder that cannot be created or written. */
export const dataDirFailure = (folder: string, cause: unknown): Error =>
  new Error(`the data folder ${folder} cannot be used: ${failureText(cause)}; give another one with --data-dir`, { cause });
