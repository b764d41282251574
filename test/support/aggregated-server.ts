// Another API server, as far as this one talks to it: HTTPS, asks for a certificate, and serves one group.
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { newAuthority, type Authority } from './certificates.ts';

/** One request, as it arrived. */
export interface Asked {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The common name of the certificate that was shown. */
  readonly caller: string | undefined;
}

export class AggregatedServer {
  readonly #server: Server;
  readonly authority: Authority;
  readonly asked: Asked[] = [];
  /** Connections that were handed over and are open. */
  readonly open = new Set<Duplex>();
  /** What discovery answers with. */
  status = 200;
  resources: readonly object[] = [];
  /** Instead of an answer to discovery. */
  behaves: ((request: IncomingMessage) => void) | undefined;
  /** What a request with this body is answered; undefined: never. */
  answers: (body: string) => object | undefined = () => ({ kind: 'Thing' });
  openapi: object = {};
  openapiEtag = '"1"';
  /** Ends the watches that are open. */
  endWatches: () => void = () => {};

  private constructor(server: Server, authority: Authority) {
    this.#server = server;
    this.authority = authority;
  }

  static async start(names: readonly string[]): Promise<AggregatedServer> {
    const authority = await newAuthority();
    const { cert, key } = await authority.issue('aggregated', names);
    const server = createServer({ cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: false });
    const self = new AggregatedServer(server, authority);
    server.on('request', (request, response) => void self.#answer(request, response));
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => self.#upgrade(request, socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get caBundle(): string {
    return Buffer.from(this.authority.cert).toString('base64');
  }

  /** Requests that somebody else than the server itself made, oldest first. */
  get proxied(): readonly Asked[] {
    return this.asked.filter(({ headers }) => headers['x-remote-user'] !== 'system:kube-aggregator');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #note(request: IncomingMessage, body: string): string {
    const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
    const caller = typeof name === 'string' ? name : undefined;
    this.asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body, caller });
    return request.url ?? '';
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    const url = this.#note(request, body);
    if (url === '/openapi/v2') return this.#answerOpenapi(request, response);
    const isDiscovery = /^\/apis\/[^/]+\/[^/]+$/.test(url);
    if (isDiscovery && this.behaves !== undefined) return this.behaves(request);
    if (isDiscovery) return void response.writeHead(this.status, { 'content-type': 'application/json' }).end(JSON.stringify({ kind: 'APIResourceList', resources: this.resources }));
    if (url.endsWith('/dropped')) return void request.socket.destroy();
    if (url.endsWith('/moved')) return void response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    if (url.includes('watch=')) {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"type":"ADDED","object":{}}\n');
      this.endWatches = () => response.end('{"type":"DELETED","object":{}}\n');
      return;
    }
    const answer = this.answers(body);
    if (answer === undefined) return;
    response.writeHead(201, { 'content-type': 'application/json', connection: 'x-hop', 'x-hop': 'no', 'x-theirs': 'yes' }).end(JSON.stringify(answer));
  }

  #answerOpenapi(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers['if-none-match'] === this.openapiEtag) response.writeHead(304).end();
    else response.writeHead(200, { etag: this.openapiEtag }).end(JSON.stringify(this.openapi));
  }

  #upgrade(request: IncomingMessage, socket: Duplex): void {
    const url = this.#note(request, '');
    socket.on('error', () => socket.destroy());
    if (url.endsWith('/ignored')) return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\nhello `);
    socket.pipe(socket);
  }
}
