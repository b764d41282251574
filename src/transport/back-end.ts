import { request as requestPlain, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestSecure, type RequestOptions as SecureOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostAndPort } from '#base';
import { lookUpElsewhere, refuseLocal } from './checked-lookup.ts';
import type { ClientCertificate } from './connection.ts';
import { failureOf, TransportFailure, unasked } from './failure.ts';
import { MAX_HEAD_BYTES } from './limits.ts';
import { lookUp } from './lookups.ts';
import { readChunks } from './read-chunks.ts';
import { traceHeaders } from './trace-context.ts';
import { TrustingAgent } from './trusting-agent.ts';

/** Somebody behind the API: a node's agent, a pod, an endpoint of a service. */
export interface BackEnd {
  readonly isSecure: boolean;
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** The name in its certificate, where it is not `host`. */
  readonly serverName?: string;
  readonly trust?: BackEndTrust;
  /** Addresses of this machine and its link are refused. */
  readonly isLocalRefused: boolean;
}

/** PEM texts. Without an authority the other side is not verified, unless `isVerified` says that the authorities of the platform vouch for it. */
export interface BackEndTrust {
  readonly isVerified?: boolean;
  readonly authority?: string;
  readonly clientCertificate?: ClientCertificate;
}

/** A request as it is handed on. */
export interface BackEndRequest {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  /** Whether the other side may go on with another protocol. Default: no; it fails where it does. */
  readonly mayUpgrade?: boolean;
  /** Ends the call, and the connection it has become. */
  readonly signal: AbortSignal;
}

/** An answer as it begins; who takes it reads `chunks` to the end or stops reading: both let go of the connection. */
export interface BackEndAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The connection, where the other side agreed to go on with another protocol. Then there are no chunks. */
  readonly socket?: Duplex;
}

/** To connect and to agree on encryption. */
const DIAL_TIMEOUT_MS = 30_000;

/** What the address of everything there begins with. */
export const originOf = ({ isSecure, host, port }: BackEnd): string => `${isSecure ? 'https' : 'http'}://${hostAndPort(host, port)}`;

/**
 * One request on a connection of its own. Redirects are answers like others. Throws `TransportFailure`; reading `chunks` throws it, too.
 * The name of the back end is looked up once, and the address that was checked is the address that is dialled.
 */
export async function askBackEnd(backEnd: BackEnd, request: BackEndRequest): Promise<BackEndAnswer> {
  const { isSecure, host, port, isLocalRefused } = backEnd;
  const origin = originOf(backEnd);
  if (isLocalRefused) refuseLocal(host);
  const { method, path, headers, body, mayUpgrade = false, signal } = request;
  const shown = (await backEnd.trust?.clientCertificate?.current?.()) ?? backEnd.trust?.clientCertificate;
  const to: RequestOptions = {
    host,
    port,
    method,
    path,
    headers: { ...headers, ...traceHeaders(), ...(body === undefined || body.length === 0 ? {} : { 'content-length': body.length }) },
    maxHeaderSize: MAX_HEAD_BYTES,
    agent: false,
    signal,
    lookup: isLocalRefused ? lookUpElsewhere : lookUp,
  };
  return new Promise((resolve, reject) => {
    const outgoing = isSecure ? requestSecure({ ...to, ...trustSettings(backEnd, shown) }) : requestPlain(to);
    outgoing.on('socket', (socket) => limitDialling(socket, isSecure, origin));
    outgoing.on('response', (message) => resolve({ ...headOf(message), chunks: readChunks(message, origin) }));
    outgoing.on('upgrade', (message, socket, early) => {
      const drop = (): void => void socket.destroy();
      socket.on('error', drop);
      if (!mayUpgrade || signal.aborted) {
        drop();
        return reject(unasked(origin, message.statusCode ?? 0));
      }
      signal.addEventListener('abort', drop, { once: true });
      socket.once('close', () => signal.removeEventListener('abort', drop));
      if (early.length > 0) socket.unshift(early);
      resolve({ ...headOf(message), chunks: NOTHING, socket });
    });
    outgoing.on('error', (cause) => reject(failureOf(cause, origin)));
    outgoing.end(body);
  });
}

const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

function trustSettings({ host, serverName = host, trust = {} }: BackEnd, shown: ClientCertificate | undefined): SecureOptions {
  const { authority, isVerified = authority !== undefined } = trust;
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: isVerified,
    ...(authority === undefined || !isVerified ? {} : { agent: new TrustingAgent(authority) }),
    ...(shown === undefined ? {} : { cert: shown.cert, key: shown.key }),
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
  };
}

function limitDialling(socket: Socket, isSecure: boolean, origin: string): void {
  const late = (): void => void socket.destroy(new TransportFailure('timeout', `${origin} did not take the connection within ${DIAL_TIMEOUT_MS / 1000} s`));
  socket.setTimeout(DIAL_TIMEOUT_MS, late);
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0);
    socket.off('timeout', late);
  });
}

const headOf = (message: IncomingMessage): Pick<BackEndAnswer, 'status' | 'headers'> => ({ status: message.statusCode ?? 0, headers: message.headers });
