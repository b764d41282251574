import type { Connection } from './connection.ts';
import { merge, readerOf, readKubeconfigFile, readUser, type Merged } from './kubeconfig.ts';

/** Client credentials. */
export type Credentials = Pick<Connection, 'clientCertificate' | 'token'>;

/** The credentials for a `host:port`; empty where none are configured. */
export type CredentialsOf = (host: string) => Credentials;

const NONE: Credentials = {};

/**
 * Reads credentials for several servers from one kubeconfig: its users are named after the servers they are for, `host:port`, `host` for port 443,
 * `*.domain`, or `*` for all; where no name matches, the user of the current context applies. Clusters are ignored. Throws `TransportFailure` that
 * names the file and the user.
 */
export async function readHostCredentials(file: string): Promise<CredentialsOf> {
  const merged = merge([{ file, config: await readKubeconfigFile(file) }]);
  const users = new Map<string, Credentials>();
  for (const [key, part] of merged.parts) {
    const name = key.startsWith('users ') ? key.slice('users '.length) : undefined;
    if (name !== undefined) users.set(name, await readUser(part, name));
  }
  const otherwise = users.get('*') ?? users.get(currentUser(merged) ?? '') ?? NONE;
  return (host) => userFor(users, host) ?? otherwise;
}

function userFor(users: ReadonlyMap<string, Credentials>, host: string): Credentials | undefined {
  const exact = users.get(host);
  if (exact !== undefined) return exact;
  const steps = host.split('.');
  for (let from = 1; from < steps.length; from++) {
    const wide = users.get(`*.${steps.slice(from).join('.')}`);
    if (wide !== undefined) return wide;
  }
  return host.endsWith(':443') ? userFor(users, host.slice(0, -':443'.length)) : undefined;
}

function currentUser({ parts, current }: Merged): string | undefined {
  const context = current === undefined ? undefined : parts.get(`contexts ${current}`);
  return context === undefined ? undefined : readerOf(context, `context ${JSON.stringify(current)}`).text('user');
}
