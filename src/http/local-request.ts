import { isBytes, shownValue } from '#base';
import type { ClientCertificate } from '#request';

/** A request without a socket. */
export interface LocalRequest {
  readonly method?: string;
  /** With the query string, as in a request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
  readonly clientCertificate?: ClientCertificate;
  readonly proxyCertificate?: ClientCertificate;
}

/** Throws a `TypeError` that says what a request takes: programs in plain JavaScript may send anything. */
export function checkRequest(request: LocalRequest): void {
  const { method = '', path, headers = {}, body = '' }: Partial<LocalRequest> = (request as LocalRequest | undefined) ?? {};
  if (typeof path !== 'string') throw new TypeError(`a request has a path, a text such as "/version", not ${shownValue(path)}`);
  if (typeof method !== 'string') throw new TypeError(`method of a request is a text, not ${shownValue(method)}`);
  // A `Headers` of fetch has no members: what is in it would be lost.
  if (typeof headers !== 'object' || headers === null || Symbol.iterator in headers) throw new TypeError(`headers of a request are members of an object, not ${shownValue(headers)}`);
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) {
      if (typeof one !== 'string') throw new TypeError(`header ${name} of a request is a text or a list of texts, not ${shownValue(one)}`);
    }
  }
  if (typeof body !== 'string' && !isBytes(body)) throw new TypeError(`body of a request is a text, such as JSON.stringify makes, or bytes, not ${shownValue(body)}`);
}

/** The headers of a request as they arrive from a connection: names and values in turn. A body of known length announces it. */
export function rawHeadersOf({ headers = {} }: LocalRequest, bodyLength: number): readonly string[] {
  const raw = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, onWire(one)]));
  const isKnown = bodyLength === 0 || raw.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length');
  return isKnown ? raw : [...raw, 'content-length', String(bodyLength)];
}

/** UTF-8 bytes, each as one character. */
const onWire = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
