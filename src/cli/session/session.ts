import { existsSync } from 'node:fs';
import { createClient, exchangeHttp, type Client } from '#client';
import { readKubeconfig, TransportFailure } from '#transport';
import type { FlagValues } from '../parse-flags.ts';
import type { Terminal } from '../terminal.ts';
import { checkedName } from './checked-name.ts';

/** A server and how it is spoken to. */
export interface Session {
  readonly client: Client;
  /** How messages name the server. */
  readonly origin: string;
  /** Of what does not name one itself. */
  readonly namespace: string;
  /** Whether the caller named the namespace on the command line. */
  readonly isNamespaceGiven: boolean;
}

/** Where a server started here writes its kubeconfig. */
const OWN_KUBECONFIG = './orch-data/kubeconfig';

/** Opens a session for the time of `use`. */
export async function withSession<T>(flags: FlagValues, terminal: Terminal, use: (session: Session) => Promise<T>): Promise<T> {
  const connection = await readKubeconfig(kubeconfigOf(flags, terminal));
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

function kubeconfigOf(flags: FlagValues, terminal: Terminal): string {
  const given = flags.text('kubeconfig') ?? (terminal.env['KUBECONFIG'] || undefined);
  if (given !== undefined) return given;
  if (existsSync(OWN_KUBECONFIG)) return OWN_KUBECONFIG;
  throw new TransportFailure(
    'configuration',
    `which server? There is no --kubeconfig, no $KUBECONFIG and no ${OWN_KUBECONFIG}.\n  orch serve starts a server here and writes that file`,
  );
}
