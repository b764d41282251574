// A real HTTPS server that answers reviews, each path as a test says.
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { TestJson } from '#testing';
import { newAuthority, type Authority } from './certificates.ts';

/** One call, as it arrived. */
export interface Heard {
  readonly review: TestJson;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly serverName: string;
  /** The common name of the certificate that was shown. */
  readonly caller: string | undefined;
  readonly remotePort: number | undefined;
  /** Resolves when the connection is closed. */
  readonly disconnected: Promise<void>;
}

/** What is answered: an object is sent as JSON; undefined: the behaviour did it itself. */
export type Behaviour = (heard: Heard, response: ServerResponse) => unknown;

export class WebhookServer {
  readonly #server: Server;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly authority: Authority;
  /** What it shows. PEM. */
  readonly certificate: string;
  readonly heard: Heard[] = [];
  readonly #disconnections = new WeakMap<Socket, Promise<void>>();
  /** Called with each call, before it is answered. */
  onHeard: ((heard: Heard) => void) | undefined;

  private constructor(server: Server, authority: Authority, certificate: string) {
    this.#server = server;
    this.authority = authority;
    this.certificate = certificate;
  }

  static async start(names: readonly string[] = ['localhost', '127.0.0.1']): Promise<WebhookServer> {
    const authority = await newAuthority();
    const { cert, key } = await authority.issue('webhook', names);
    // Idle connections stay open until the caller lets go of them.
    const server = createServer({ cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: false, keepAliveTimeout: 0 });
    const self = new WebhookServer(server, authority, cert);
    server.on('request', (request, response) => void self.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** As a configuration carries it. */
  get caBundle(): string {
    return Buffer.from(this.authority.cert).toString('base64');
  }

  /** The client part of a webhook at this path, which answers so from now on. */
  at(path: string, behaviour: Behaviour): { readonly url: string; readonly caBundle: string } {
    this.#behaviours.set(path, behaviour);
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.caBundle };
  }

  /** Reviews that arrived at a path, oldest first. */
  reviewsAt(path: string): readonly TestJson[] {
    return this.callsAt(path).map(({ review }) => review);
  }

  callsAt(path: string): readonly Heard[] {
    return this.heard.filter((one) => one.path.split('?')[0] === path);
  }

  /** Breaks every connection. */
  hangUp(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #disconnectionOf(socket: Socket): Promise<void> {
    const known = this.#disconnections.get(socket);
    if (known !== undefined) return known;
    const disconnection = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    this.#disconnections.set(socket, disconnection);
    return disconnection;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const socket = request.socket as TLSSocket & { servername?: string | false };
    const heard: Heard = {
      review: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown,
      path: request.url ?? '',
      headers: request.headers,
      serverName: socket.servername || '',
      caller: socket.getPeerCertificate().subject?.CN as string | undefined,
      remotePort: socket.remotePort,
      disconnected: this.#disconnectionOf(socket),
    };
    this.heard.push(heard);
    this.onHeard?.(heard);
    const answer = await this.#behaviours.get(heard.path.split('?')[0] ?? '')?.(heard, response);
    if (answer !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  }
}

/** A review with a response, in the version it was asked in. */
export const answering = (response: object) => ({ review }: Heard): object => ({
  kind: 'AdmissionReview',
  apiVersion: review.apiVersion,
  response: { uid: review.request.uid, ...response },
});

export const allowing = (more: object = {}): Behaviour => answering({ allowed: true, ...more });
export const denying = (status?: object, more: object = {}): Behaviour => answering({ allowed: false, ...(status === undefined ? {} : { status }), ...more });
export const patching = (operations: readonly object[], more: object = {}): Behaviour =>
  allowing({ patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64'), ...more });
