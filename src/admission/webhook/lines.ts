import type { Clock } from '#base';
import type { Brand, ObjectAccess } from '#api';
import { openWebhook, plainPath, TransportFailure, type CredentialsOf, type Webhook } from '#transport';
import type { ClientConfig } from './hook.ts';
import { findService, type Address } from './service-address.ts';

/** A call that is about to be made. */
export interface Line {
  /** What is called, as messages name it. */
  readonly url: string;
  call(document: unknown, timeoutMs: number, signal: AbortSignal): Promise<unknown>;
}

interface Target {
  readonly url: string;
  /** As it is sent. */
  readonly path: string;
  /** `host:port`, as credentials are named. */
  readonly host: string;
  /** In the certificate, where it is not the address. */
  readonly serverName?: string;
  find(): Promise<Address>;
}

/** A webhook may hold so many requests at once; more wait. */
const MAX_CONNECTIONS = 64;
/** A service that moves leaves connections behind: beyond so many addresses the oldest is let go. */
const MAX_ADDRESSES = 4;
const HTTPS_PORT = 443;

/** Keeps the connections to webhooks. Those of a client configuration that nobody holds any more end by themselves. */
export class Lines {
  readonly #objects: ObjectAccess;
  readonly #clock: Clock;
  readonly #keepsPaths: boolean;
  /** Answers once it is known. */
  credentialsOf: CredentialsOf = () => ({});
  readonly #open = new Map<ClientConfig, Map<string, Webhook>>();

  constructor(objects: ObjectAccess, clock: Clock, { deviations }: Brand) {
    this.#objects = objects;
    this.#clock = clock;
    this.#keepsPaths = deviations.keepsWebhookPaths;
  }

  /** Opens nothing yet. Throws `TransportFailure`, or an `Error` where a service leads nowhere, when it is called. */
  lineTo(client: ClientConfig, timeoutSeconds: number): Line {
    const target = targetOf(client, this.#objects, this.#keepsPaths);
    const query = `timeout=${timeoutSeconds}s`;
    return {
      url: `${target.url}?${query}`,
      call: async (document, timeoutMs, signal) => {
        const webhook = this.#webhookAt(client, target, await target.find());
        return webhook.call(document, { timeoutMs, signal, query });
      },
    };
  }

  /** Lets go of everything but what leads to these. Calls under way are finished first. */
  keepOnly(clients: ReadonlySet<ClientConfig>): void {
    for (const [client, webhooks] of this.#open) {
      if (clients.has(client)) continue;
      this.#open.delete(client);
      for (const webhook of webhooks.values()) webhook.close();
    }
  }

  #webhookAt(client: ClientConfig, target: Target, { host, port }: Address): Webhook {
    let webhooks = this.#open.get(client);
    if (webhooks === undefined) this.#open.set(client, (webhooks = new Map()));
    const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    let webhook = webhooks.get(server);
    if (webhook !== undefined) return webhook;
    webhook = closingLate(this.#openWebhook(client, target, server));
    webhooks.set(server, webhook);
    const [oldest] = webhooks.keys();
    if (webhooks.size > MAX_ADDRESSES && oldest !== undefined) {
      webhooks.get(oldest)?.close();
      webhooks.delete(oldest);
    }
    return webhook;
  }

  #openWebhook({ caBundle }: ClientConfig, { path, host, serverName }: Target, server: string): Webhook {
    const authority = caBundle === undefined || caBundle === null || caBundle === '' ? {} : { authority: pemOf(caBundle) };
    const named = serverName === undefined ? {} : { serverName };
    const connection = { server, isVerified: true, namespace: '', ...authority, ...named, ...this.credentialsOf(host) };
    return openWebhook(connection, { path, clock: this.#clock, maxConnections: MAX_CONNECTIONS, ...(serverName === undefined ? {} : { host }) });
  }
}

function pemOf(caBundle: string): string {
  const pem = Buffer.from(caBundle, 'base64').toString('utf8');
  if (!pem.includes('-----BEGIN')) throw new TransportFailure('configuration', 'unable to load root certificates: unable to parse bytes as PEM block');
  return pem;
}

/** Closing waits for the calls under way. */
function closingLate(webhook: Webhook): Webhook {
  let calls = 0;
  let isClosed = false;
  return {
    async call(document, how) {
      calls++;
      try {
        return await webhook.call(document, how);
      } finally {
        calls--;
        if (isClosed && calls === 0) webhook.close();
      }
    },
    close() {
      isClosed = true;
      if (calls === 0) webhook.close();
    },
  };
}

function targetOf({ url, service }: ClientConfig, objects: ObjectAccess, keepsPath: boolean): Target {
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
