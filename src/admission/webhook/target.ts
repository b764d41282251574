import type { ObjectAccess } from '#api';
import { plainPath, TransportFailure } from '#transport';
import type { ClientConfig } from './hook.ts';
import { findService, type Address } from './service-address.ts';

/** Where a client configuration leads. */
export interface Target {
  /** Without query, as messages name it. */
  readonly url: string;
  /** As it is sent. */
  readonly path: string;
  /** `host:port`, as credentials are named. */
  readonly host: string;
  /** In the certificate, where it is not the address. */
  readonly serverName?: string;
  /** Where to connect to just now. Throws an `Error` where a service leads nowhere. */
  find(): Promise<Address>;
}

const HTTPS_PORT = 443;

/** `keepsPath`: the path of a URL is sent as it is written. Throws `TransportFailure` for a URL that is none. */
export function targetOf({ url, service }: ClientConfig, objects: ObjectAccess, keepsPath: boolean): Target {
  if (service !== undefined && service !== null) {
    const { namespace, name } = service;
    const serverName = `${name}.${namespace}.svc`;
    const port = service.port ?? HTTPS_PORT;
    const host = `${serverName}:${port}`;
    const path = plainPath(sendable(service.path ?? ''));
    return { url: `https://${host}${path}`, path, host, serverName, find: () => findService(objects, namespace, name, port) };
  }
  const text = url ?? '';
  if (!URL.canParse(text)) throw new TransportFailure('configuration', `${JSON.stringify(text)} is no URL`);
  const { hostname, port } = new URL(text);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? HTTPS_PORT : Number(port) };
  const [, origin = '', given = ''] = /^([^:]+:\/\/[^/?#]*)([^?#]*)/.exec(text) ?? [];
  const path = keepsPath ? sendable(given) || '/' : plainPath(sendable(given));
  return { url: `${origin}${path}`, path, host: `${hostname}:${address.port}`, find: () => Promise.resolve(address) };
}

/** Without characters that cannot stand in a request. */
const sendable = (path: string): string => path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
