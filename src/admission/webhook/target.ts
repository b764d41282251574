import type { ObjectAccess, ObjectKey } from '#api';
import { serviceLead, type Endpoints, type Service, type ServiceAddresses } from '#kinds';
import { plainPath, TransportFailure } from '#transport';
import type { ClientConfig } from './hook.ts';

/** The target of a client configuration. */
export interface Target {
  /** Without query, as messages name it. */
  readonly url: string;
  /** The path of the request. */
  readonly path: string;
  /** `host:port`, as credentials are named. */
  readonly host: string;
  /** The server name in the certificate, where it is not the host of the address. */
  readonly serverName?: string;
  /** The addresses to connect to at this moment. Rejects with an `Error` that says why a service has none. */
  find(): Promise<ServiceAddresses>;
}

const HTTPS_PORT = 443;

/** The target of a client configuration. `keepsPath`: the path of a URL is sent as it is written. Throws `TransportFailure` for an invalid URL. */
export function targetOf({ url, service }: ClientConfig, objects: ObjectAccess, keepsPath: boolean): Target {
  if (service !== undefined && service !== null) {
    const { namespace, name } = service;
    const serverName = `${name}.${namespace}.svc`;
    const port = service.port ?? HTTPS_PORT;
    const host = `${serverName}:${port}`;
    const path = plainPath(sendable(service.path ?? ''));
    return { url: `https://${host}${path}`, path, host, serverName, find: () => findService(objects, { namespace, name }, port) };
  }
  const text = url ?? '';
  if (!URL.canParse(text)) throw new TransportFailure('configuration', `${JSON.stringify(text)} is no URL`);
  const { hostname, port } = new URL(text);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? HTTPS_PORT : Number(port) };
  const [, origin = '', given = ''] = /^([^:]+:\/\/[^/?#]*)([^?#]*)/.exec(text) ?? [];
  const path = keepsPath ? sendable(given) || '/' : plainPath(sendable(given));
  return { url: `${origin}${path}`, path, host: `${hostname}:${address.port}`, find: () => Promise.resolve([address]) };
}

async function findService(objects: ObjectAccess, key: ObjectKey, port: number): Promise<ServiceAddresses> {
  const service = (await objects.get({ group: '', kind: 'Service' }, key)) as Service | undefined;
  const endpoints = (await objects.get({ group: '', kind: 'Endpoints' }, key)) as Endpoints | undefined;
  const lead = serviceLead(key.name, service, endpoints, port);
  if ('nowhere' in lead) throw new Error(lead.nowhere);
  return lead.addresses;
}

/** The path with characters that a request cannot have percent-encoded. */
const sendable = (path: string): string => path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
