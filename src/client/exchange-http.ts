import { createHttpClient, readKubeconfig, type Connection } from '#transport';
import type { Exchange } from './exchange.ts';

/** Long-lived watches hold a connection each: a client with many informers needs many. */
const MAX_CONNECTIONS = 256;

/** Over the network, to whom the connection names. */
export const exchangeHttp = (connection: Connection): Exchange => createHttpClient(connection, { maxConnections: MAX_CONNECTIONS });

/** To the current context of a kubeconfig. Throws `TransportFailure` that names what is wrong with the file. */
export const exchangeKubeconfig = async (paths: string): Promise<Exchange> => exchangeHttp(await readKubeconfig(paths));
