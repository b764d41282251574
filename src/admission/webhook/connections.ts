import { hostAndPort, isTurnLong, nextTurn, type Clock } from '#base';
import type { Brand, ObjectAccess } from '#api';
import type { ServiceAddress } from '#kinds';
import { atOneOf, openWebhook, TransportFailure, type CredentialsOf, type Send, type Webhook } from '#transport';
import type { ClientConfig } from './hook.ts';
import { targetOf, type Target } from './target.ts';

/** A call that is ready to be made. */
export interface PreparedCall {
  /** The URL, as messages name it. */
  readonly url: string;
  /** Resolves to the response of the webhook. Rejects with `TransportFailure`, or with an `Error` where the service has no address. */
  make(document: unknown, timeoutMs: number, signal: AbortSignal): Promise<unknown>;
}

/** A service whose address changes leaves connections behind: beyond this many addresses, the oldest is closed. */
const MAX_ADDRESSES = 4;

/**
 * Concurrent calls to one address. More than requests are in flight by default: the answer to one call may wait for another, where a webhook writes
 * objects that it is called for itself.
 */
const MAX_CONNECTIONS = 1024;

/** Webhooks know their caller by this name, in both dialects. */
const HEADERS = { 'user-agent': 'kube-apiserver-admission' } as const;

/** Settings in which kinds of webhooks differ. */
export interface WebhookConnectionsOptions {
  /** Longer responses are a failure. Default: that of `openWebhook`. */
  readonly maxAnswerBytes?: number;
  /** See `openWebhook`. Default: no. */
  readonly mayBeCalledTwice?: boolean;
  /** See `AdmissionEnv`. */
  readonly sendToSelf?: Send;
}

/** Keeps the connections to webhooks, by client configuration, until `keepOnly` drops the configuration. */
export class WebhookConnections {
  readonly #objects: ObjectAccess;
  readonly #clock: Clock;
  readonly #keepsPaths: boolean;
  /** The host of the Service of the API: this server, whatever its endpoints say. */
  readonly #ownHost: string;
  readonly #options: Omit<WebhookConnectionsOptions, 'sendToSelf'>;
  readonly #sendToSelf: Send | undefined;
  /** The credentials of this server for a host: none, until the owner of the credentials sets this. */
  credentialsOf: CredentialsOf = () => ({});
  readonly #open = new Map<ClientConfig, Map<string, Webhook>>();
  #isKept: (client: ClientConfig) => boolean = () => true;

  constructor(objects: ObjectAccess, clock: Clock, { deviations, names }: Brand, { sendToSelf, ...options }: WebhookConnectionsOptions = {}) {
    this.#objects = objects;
    this.#clock = clock;
    this.#options = options;
    this.#sendToSelf = sendToSelf;
    this.#keepsPaths = deviations.keepsWebhookPaths;
    this.#ownHost = `${names.apiService}.default.svc:443`;
  }

  /**
   * Prepares a call without connecting. The URL tells the webhook its timeout, `timeoutSeconds`. Throws `TransportFailure` for an invalid
   * configuration.
   */
  prepare(client: ClientConfig, timeoutSeconds: number): PreparedCall {
    const target = targetOf(client, this.#objects, this.#keepsPaths);
    const query = `timeout=${timeoutSeconds}s`;
    return {
      url: `${target.url}?${query}`,
      make: async (document, timeoutMs, signal) => {
        const self = this.#selfAt(target);
        if (self !== undefined) return inItsTurn(signal, () => self.call(document, { timeoutMs, signal, query }));
        const addresses = await target.find();
        const callAt = (address: ServiceAddress): Promise<unknown> => this.#webhookAt(client, target, address).call(document, { timeoutMs, signal, query, headers: HEADERS });
        return inItsTurn(signal, async () => {
          try {
            return await atOneOf(addresses, callAt);
          } finally {
            // It may have been dropped while a request was on its way to it.
            if (!this.#isKept(client)) this.#drop(client);
          }
        });
      },
    };
  }

  /** Closes the connections of all other client configurations. Calls in progress are finished first. */
  keepOnly(clients: ReadonlySet<ClientConfig>): void {
    this.#isKept = (client) => clients.has(client);
    for (const client of this.#open.keys()) if (!clients.has(client)) this.#drop(client);
  }

  #drop(client: ClientConfig): void {
    const webhooks = this.#open.get(client);
    this.#open.delete(client);
    for (const webhook of webhooks?.values() ?? []) webhook.close();
  }

  /** This server as a webhook, which needs neither a connection nor trust; undefined: the target is another one. */
  #selfAt({ path, host, serverName }: Target): Webhook | undefined {
    const send = this.#sendToSelf;
    if (send === undefined || serverName === undefined || host !== this.#ownHost) return undefined;
    return openWebhook({ server: `https://${host}`, isVerified: true, namespace: '' }, { ...this.#options, path, clock: this.#clock, host, send });
  }

  #webhookAt(client: ClientConfig, target: Target, { host, port }: ServiceAddress): Webhook {
    let webhooks = this.#open.get(client);
    if (webhooks === undefined) this.#open.set(client, (webhooks = new Map()));
    const server = `https://${hostAndPort(host, port)}`;
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
    const called = serverName === undefined ? {} : { host };
    return openWebhook(connection, { ...this.#options, path, maxConnections: MAX_CONNECTIONS, clock: this.#clock, ...called });
  }
}

/** Calls in another turn of the event loop where this one was long: several webhooks are called at once, each with a large object, perhaps. */
async function inItsTurn<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  if (isTurnLong()) await nextTurn(signal);
  return call();
}

function pemOf(caBundle: string): string {
  const pem = Buffer.from(caBundle, 'base64').toString('utf8');
  if (!pem.includes('-----BEGIN')) throw new TransportFailure('configuration', 'unable to load root certificates: unable to parse bytes as PEM block');
  return pem;
}

/** A webhook whose closing waits for the calls in progress. */
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
