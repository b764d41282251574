// Stands in for the agent of a node as far as the server talks to it.
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { newAuthority, type Pair } from './certificates.ts';

/** The agent of a node, as far as the server talks to it. */
export interface StandInNode {
  readonly port: number;
  readonly authority: string;
  /** What the server shows. */
  readonly client: Pair;
  /** What was asked, in order: method, path with query, and headers. */
  readonly asked: { readonly line: string; readonly headers: IncomingMessage['headers']; readonly certificate: string }[];
  /** Connections that were handed over and are open. */
  readonly open: Set<Duplex>;
  close(): Promise<void>;
}

/** Logs answer with lines, or with the status that is their limit, without end where their tail is asked for, too; `exec` echoes, `attach` refuses, `portForward` redirects. */
export async function startStandInNode(): Promise<StandInNode> {
  const authority = await newAuthority();
  const serving = await authority.issue('node', ['127.0.0.1']);
  const client = await authority.issue('apiserver', []);
  const asked: StandInNode['asked'] = [];
  const open = new Set<Duplex>();
  const note = (request: IncomingMessage): string => {
    const certificate = (request.socket as TLSSocket).getPeerX509Certificate()?.toString() ?? '';
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, certificate });
    return request.url ?? '';
  };
  const server = createServer({ ...serving, ca: authority.cert, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const url = note(request);
    const [, status] = /^\/containerLogs\/.*limitBytes=(\d{3})$/.exec(url) ?? [];
    if (status !== undefined && url.includes('tailLines')) response.writeHead(Number(status)).write('x'.repeat(60_000));
    else if (status !== undefined) response.writeHead(Number(status), status === '302' ? { location: '/elsewhere' } : {}).end('said the node');
    else if (url.startsWith('/containerLogs/') && url.includes('follow=true')) response.write('first\n');
    else if (url.startsWith('/containerLogs/') && url.includes('previous=true')) response.writeHead(400).end('previous container not found');
    else if (url.startsWith('/containerLogs/')) response.end('one\ntwo\n');
    else if (url === '/moved') response.writeHead(302, { location: '/pods' }).end();
    else if (url === '/away') response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    else request.pipe(response.writeHead(200, { 'content-type': 'text/x-echo', connection: 'x-hop', 'x-hop': 'no' }));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const url = note(request);
    socket.on('error', () => socket.destroy());
    if (url.startsWith('/attach/')) return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    if (url.startsWith('/portForward/')) return void socket.end('HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0\r\n\r\n');
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\nX-Stream-Protocol-Version: v4\r\n\r\nhello `);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    authority: authority.cert,
    client,
    asked,
    open,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whatever requests can be sent to. */
interface Asked {
  request(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>;
}

/** A node that is reached there, and a pod `p` on it with one container `c`. */
export async function makeNodeAndPod({ request }: Asked, port: number): Promise<void> {
  await request('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  await request('PUT', '/api/v1/nodes/n/status', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: port } } },
  });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  const automount = { automountServiceAccountToken: false };
  await request('POST', '/api/v1/namespaces/default/serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
  const made = await request('POST', '/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { ...spec, ...automount } });
  if (made.status !== 201) throw new Error(made.text);
}
