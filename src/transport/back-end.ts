import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestSecure, type RequestOptions as SecureOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addToList, hostAndPort } from '#base';
import { atOneOf } from './at-one-of.ts';
import { lookUpElsewhere, refuseLocal } from './checked-lookup.ts';
import type { ClientCertificate } from './connection.ts';
import { failureOf, TransportFailure, unasked } from './failure.ts';
import { MAX_HEAD_BYTES, PROBE_AFTER_MS } from './limits.ts';
import { lookUp } from './lookups.ts';
import { readChunks } from './read-chunks.ts';
import { traceHeaders } from './trace-context.ts';
import { TrustingAgent } from './trusting-agent.ts';

/** A backend that requests are proxied to: a kubelet, a pod, an endpoint of a service. */
export interface BackEnd {
  readonly isSecure: boolean;
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Where else it is, in the order in which they are tried while connections are refused. Default: nowhere. */
  readonly otherAddresses?: readonly { readonly host: string; readonly port: number }[];
  /** The name in its certificate, where it is not `host`. */
  readonly serverName?: string;
  readonly trust?: BackEndTrust;
  /** Whether loopback and link-local addresses are refused. */
  readonly isLocalRefused: boolean;
}

/**
 * TLS settings for a backend; PEM texts. Without an authority its certificate is not verified, unless `isVerified` asks for the platform's
 * authorities.
 */
export interface BackEndTrust {
  readonly isVerified?: boolean;
  readonly authority?: string;
  readonly clientCertificate?: ClientCertificate;
}

/** A request to a backend. */
export interface BackEndRequest {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array;
  /** Whether the backend may switch protocols. Default: no; the call fails where it does. */
  readonly mayUpgrade?: boolean;
  /** Aborts the call, and the connection it was upgraded to. */
  readonly signal: AbortSignal;
}

/** The head of a response. The caller reads `chunks` to the end or stops reading: both release the connection. */
export interface BackEndAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The connection, where the backend switched protocols. Then there are no chunks. */
  readonly socket?: Duplex;
}

/** Timeout for connecting and the TLS handshake. */
const DIAL_TIMEOUT_MS = 30_000;

/** The origin of its URLs. */
export const originOf = ({ isSecure, host, port }: BackEnd): string => `${isSecure ? 'https' : 'http'}://${hostAndPort(host, port)}`;

/**
 * Sends one request on a connection of its own. Redirects are returned as responses. Throws `TransportFailure`, also while `chunks` is read. The host
 * name is resolved once, and the connection goes to the address that was checked.
 */
export function askBackEnd(backEnd: BackEnd, request: BackEndRequest): Promise<BackEndAnswer> {
  return atOneOf([backEnd, ...(backEnd.otherAddresses ?? [])], (address) => askAt({ ...backEnd, ...address }, request));
}

async function askAt(backEnd: BackEnd, request: BackEndRequest): Promise<BackEndAnswer> {
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
    outgoing.on('socket', (socket) => {
      limitDialling(socket, isSecure, origin);
      socket.setKeepAlive(true, PROBE_AFTER_MS);
    });
    outgoing.on('response', (message) => {
      const { statusCode: status = 0 } = message;
      // One that switches protocols and does not say to which.
      if (status === SWITCHING) return void outgoing.destroy(unasked(origin, SWITCHING));
      if (!isFinal(status)) return void outgoing.destroy(new TransportFailure('garbage', `${origin} answered with status ${status}, which HTTP does not have`));
      resolve({ ...headOf(message), chunks: readChunks(message, origin) });
    });
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

const SWITCHING = 101;
/** Whether a status is that of a final response (RFC 9110, section 15.2). No server of Node sends another; one of three digits beyond those of HTTP is handed on. */
const isFinal = (status: number): boolean => status >= 200;
const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

function trustSettings({ host, serverName = host, trust = {} }: BackEnd, shown: ClientCertificate | undefined): SecureOptions {
  const { authority, isVerified = authority !== undefined } = trust;
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: isVerified,
    ...(authority === undefined || !isVerified ? {} : { agent: new TrustingAgent(authority) }),
    ...(shown === undefined ? {} : { cert: shown.cert, key: shown.key }),
    // Without a name, Node would take the one in the Host header, and check the certificate for it.
    servername: isIP(serverName) === 0 ? serverName : '',
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

const headOf = ({ statusCode = 0, rawHeaders }: IncomingMessage): Pick<BackEndAnswer, 'status' | 'headers'> => ({
  status: statusCode,
  headers: headersIn(rawHeaders, WITHOUT_BODY.has(statusCode)),
});

/** Statuses that say that there is no body. A length beside them says that there is one: clients of HTTP/2 would take the answer for broken. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205]);

/** Not `headersDistinct`: in releases of Node before March 2026 it throws for names such as `__proto__`, which would end this process. */
function headersIn(raw: readonly string[], isWithoutBody: boolean): BackEndAnswer['headers'] {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    addToList(headers, (raw[at] as string).toLowerCase(), raw[at + 1] as string);
  }
  if (isWithoutBody) headers.delete('content-length');
  return Object.fromEntries(headers);
}
