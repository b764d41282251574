import { hostAndPort, type Clock } from '#base';
import type { Brand, ObjectAccess } from '#api';
import { openWebhook, TransportFailure, type CredentialsOf, type Webhook } from '#transport';
import type { ClientConfig } from './hook.ts';
import type { Address } from './service-address.ts';
import { targetOf, type Target } from './target.ts';

/** A call that is about to be made. */
export interface PreparedCall {
  /** What is called, as messages name it. */
  readonly url: string;
  /** The answer of the webhook. Throws `TransportFailure`, or an `Error` where a service leads nowhere. */
  make(document: unknown, timeoutMs: number, signal: AbortSignal): Promise<unknown>;
}

/** A service that moves leaves connections behind: beyond so many addresses the oldest is let go. */
const MAX_ADDRESSES = 4;

/** What kinds of webhooks differ in. */
export interface WebhookConnectionsOptions {
  /** Longer answers are a failure. Default: as `openWebhook` has it. */
  readonly maxAnswerBytes?: number;
}

/** Keeps the connections to webhooks. Those of a client configuration that nobody holds any more end by themselves. */
export class WebhookConnections {
  readonly #objects: ObjectAccess;
  readonly #clock: Clock;
  readonly #keepsPaths: boolean;
  readonly #options: WebhookConnectionsOptions;
  /** With what this server shows a host who it is: with nothing, until who knows it says so here. */
  credentialsOf: CredentialsOf = () => ({});
  readonly #open = new Map<ClientConfig, Map<string, Webhook>>();

  constructor(objects: ObjectAccess, clock: Clock, { deviations }: Brand, options: WebhookConnectionsOptions = {}) {
    this.#objects = objects;
    this.#clock = clock;
    this.#options = options;
    this.#keepsPaths = deviations.keepsWebhookPaths;
  }

  /** Opens nothing yet. The webhook is told that it has `timeoutSeconds`. Throws `TransportFailure` for a configuration that makes no sense. */
  prepare(client: ClientConfig, timeoutSeconds: number): PreparedCall {
    const target = targetOf(client, this.#objects, this.#keepsPaths);
    const query = `timeout=${timeoutSeconds}s`;
    return {
      url: `${target.url}?${query}`,
      make: async (document, timeoutMs, signal) => {
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
    return openWebhook(connection, { ...this.#options, path, clock: this.#clock, ...(serverName === undefined ? {} : { host }) });
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
