import { createClient, exchangeHttp, type Client } from '#client';
import { readKubeconfig, TransportFailure } from '#transport';
import type { FlagValues } from '../parse-flags.ts';
import type { Terminal } from '../terminal.ts';
import { checkedName } from './checked-name.ts';
import { hasOwnKubeconfig, OWN_KUBECONFIG } from './own-kubeconfig.ts';

/** A client for one server, with the namespace of the command. */
export interface Session {
  readonly client: Client;
  /** The server's name in messages. */
  readonly origin: string;
  /** Namespace of objects that do not name one. */
  readonly namespace: string;
  /** Whether the namespace was given on the command line. */
  readonly isNamespaceGiven: boolean;
}

/** Runs `use` with a session, and closes it afterwards. */
export async function withSession<T>(flags: FlagValues, terminal: Terminal, use: (session: Session) => Promise<T>): Promise<T> {
  const connection = await readKubeconfig(await kubeconfigOf(flags, terminal));
  const exchange = exchangeHttp(connection);
  const client = createClient(exchange, { userAgent: 'orch' });
  const namespace = flags.text('namespace');
  try {
    return await use({
      client,
      origin: exchange.origin ?? '',
      namespace: namespace === undefined ? connection.namespace : checkedName(namespace),
      isNamespaceGiven: namespace !== undefined,
    });
  } finally {
    client.close();
  }
}

async function kubeconfigOf(flags: FlagValues, terminal: Terminal): Promise<string> {
  const given = flags.text('kubeconfig') ?? (terminal.env['KUBECONFIG'] || undefined);
  if (given !== undefined) return given;
  if (await hasOwnKubeconfig()) return OWN_KUBECONFIG;
  throw new TransportFailure(
    'configuration',
    `which server? There is no --kubeconfig, no $KUBECONFIG and no ${OWN_KUBECONFIG}.\n  orch serve starts a server here and writes that file`,
  );
}
