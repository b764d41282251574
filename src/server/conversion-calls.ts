import { callWords, WebhookConnections } from '#admission';
import type { Brand, ObjectAccess } from '#api';
import type { Clock } from '#base';
import { OutsideFailure } from '#errors';
import type { CallConversion, ConversionClient } from '#extensions';
import type { Send } from '#transport';

/** Conversion webhooks to which connections are kept open. */
const MAX_CLIENTS = 64;
/** A response carries all converted objects of one request, with all that the webhook adds to each. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Calls conversion webhooks, at an address or behind a service, as admission webhooks are called. The signal ends calls and connections. */
export function createConversionCalls(objects: ObjectAccess, clock: Clock, brand: Brand, sendToSelf: Send, signal: AbortSignal): CallConversion {
  const connections = new WebhookConnections(objects, clock, brand, { maxAnswerBytes: MAX_ANSWER_BYTES, mayBeCalledTwice: true, sendToSelf });
  signal.addEventListener('abort', () => connections.keepOnly(new Set()), { once: true });
  // Every change of a definition makes a new object; connections are kept by the content of its client configuration.
  const clients = new Map<string, ConversionClient>();
  const known = (client: ConversionClient): ConversionClient => {
    const text = JSON.stringify(client);
    const kept = clients.get(text) ?? client;
    clients.delete(text);
    clients.set(text, kept);
    const [oldest] = clients.keys();
    if (clients.size > MAX_CLIENTS && oldest !== undefined) clients.delete(oldest);
    if (clients.size === MAX_CLIENTS) connections.keepOnly(new Set(clients.values()));
    return kept;
  };
  return async (client, document, timeoutMs) => {
    const { url, make } = connections.prepare(known(client), timeoutMs / 1000);
    try {
      return await make(document, timeoutMs, signal);
    } catch (cause) {
      throw new OutsideFailure(callWords(cause, url), { cause });
    }
  };
}
