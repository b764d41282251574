/**
 * The least a Node server can do, over HTTP/1.1 and HTTP/2: `/bytes/<n>` is answered with n bytes after the body was read, `/watch` with a
 * stream of what others POST to `/event` (over HTTP/1.1; over HTTP/2 nothing comes). Forked with the folder of certificate and key; tells its two ports.
 */
import type { ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readAll, tlsFrom } from './bare-http.ts';
import './observe.ts';

const tls = tlsFrom(process.argv[2] ?? '');
const headers = { 'content-type': 'application/json', 'audit-id': '0f3f7a56-9f0f-4c5e-a8c4-ec41f2f7a2f1', 'cache-control': 'no-cache, private' };
const answers = new Map<string, Buffer>();
const watchers = new Set<ServerResponse>();
let frames: Buffer[] = [];

const http1 = createServer(tls, (request, response) => {
  if (request.url === '/watch') return openWatch(response);
  if (request.method === 'GET') return answer(request.url ?? '', response);
  readAll(request, (body) => {
    if (request.url === '/event') publish(body);
    answer(request.url ?? '', response);
  });
});
const http2 = createSecureServer(tls).on('stream', (stream, requestHeaders) => {
  const body = bytesOf(requestHeaders[':path'] ?? '');
  stream.on('error', () => {});
  if (requestHeaders[':path'] === '/watch') return stream.respond({ ':status': 200, ...headers });
  stream.respond({ ':status': 200, ...headers, 'content-length': body.length });
  stream.end(body);
});

http1.listen(0, '127.0.0.1', () => {
  http2.listen(0, '127.0.0.1', () => {
    process.send?.({ h1: (http1.address() as AddressInfo).port, h2: (http2.address() as AddressInfo).port });
  });
});

function answer(url: string, response: ServerResponse): void {
  const body = bytesOf(url);
  response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
}

function bytesOf(url: string): Buffer {
  let body = answers.get(url);
  if (body === undefined) {
    body = Buffer.alloc(Number(url.slice('/bytes/'.length)) || 64, 'x');
    answers.set(url, body);
  }
  return body;
}

function openWatch(response: ServerResponse): void {
  response.writeHead(200, headers);
  response.flushHeaders();
  watchers.add(response);
  response.on('close', () => watchers.delete(response));
}

/** What is posted in one turn leaves in one write per watcher. */
function publish(body: Buffer): void {
  if (frames.length === 0) {
    setImmediate(() => {
      const piece = Buffer.concat(frames);
      frames = [];
      for (const watcher of watchers) watcher.write(piece);
    });
  }
  frames.push(body, LINE_END);
}

const LINE_END = Buffer.from('\n');
