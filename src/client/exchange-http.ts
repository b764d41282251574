import { createHttpClient, readKubeconfig, type Connection } from '#transport';
import type { Exchange } from './exchange.ts';
import { checkConnection } from './given.ts';

/** Every watch holds a connection: a client with many informers needs many. */
const MAX_CONNECTIONS = 256;

/** An exchange over the network, to the server of a connection. */
export function exchangeHttp(connection: Connection): Exchange {
  checkConnection('exchangeHttp', connection);
  return createHttpClient(connection, { maxConnections: MAX_CONNECTIONS });
}

/** An exchange to the current context of a kubeconfig. Rejects with a `TransportFailure` that names what is wrong with the file. */
export const exchangeKubeconfig = async (paths: string): Promise<Exchange> => exchangeHttp(await readKubeconfig(paths));
