/**
 * What our listener costs over a bare Node server that answers the same bytes: GET of 1 KB, TLS, 64 connections (HTTP/1.1) or 64 streams (HTTP/2).
 * The load comes from a child process. Where the client is slower than the server, the processor time per request tells more than the rate.
 */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { openListener } from '#http';
import { pause } from './served/pause.ts';

type Protocol = 'h1' | 'h2';
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
const WARM_UP_SECONDS = 1;
const CONCURRENCY = 64;
const PATH = '/api/v1/namespaces/a/configmaps/b';
const body = new TextEncoder().encode(JSON.stringify({ kind: 'ConfigMap', data: { a: 'x'.repeat(980) } }));
const headers = { 'content-type': 'application/json', 'audit-id': '0f3f7a56-9f0f-4c5e-a8c4-ec41f2f7a2f1', 'cache-control': 'no-cache, private' };
const fixture = (name: string): string => readFileSync(`${process.env['BENCH_TLS'] ?? 'test/fixtures/tls'}/${name}`, 'utf8');

if (process.argv[2] === 'load') await load(process.argv[3] as Protocol, Number(process.argv[4]));
else await compare();

async function compare(): Promise<void> {
  const tls = { cert: fixture('server.crt'), key: fixture('server.key') };
  for (const protocol of ['h1', 'h2'] as const) {
    const bare = await measure(protocol, await bareServer(protocol, tls));
    const listener = await openListener({ host: '127.0.0.1', port: 0, tls, handle: () => Promise.resolve({ status: 200, headers, body }) });
    const ours = await measure(protocol, { port: listener.port, close: () => listener.close({ graceMs: 100 }) });
    const ratio = (ours.rate / bare.rate).toFixed(2);
    const cpu = (bare.cpuUs / ours.cpuUs).toFixed(2);
    console.log(
      `${protocol}  bare ${bare.rate.toFixed(0)}/s ${bare.cpuUs.toFixed(1)} us  ours ${ours.rate.toFixed(0)}/s ${ours.cpuUs.toFixed(1)} us  rate ratio ${ratio}  cpu ratio ${cpu}`,
    );
  }
}

interface Target {
  readonly port: number;
  close(): Promise<void>;
}

async function bareServer(protocol: Protocol, tls: { cert: string; key: string }): Promise<Target> {
  const length = String(body.length);
  const server =
    protocol === 'h1'
      ? createServer(tls, (_, response) => void response.writeHead(200, { ...headers, 'content-length': length }).end(body))
      : createSecureServer(tls).on('stream', (stream) => {
          stream.on('error', () => {});
          stream.respond({ ':status': 200, ...headers, 'content-length': length });
          stream.end(body);
        });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function measure(protocol: Protocol, target: Target): Promise<{ readonly rate: number; readonly cpuUs: number }> {
  const child = fork(process.argv[1] ?? '', ['load', protocol, String(target.port)]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let before = process.cpuUsage();
  const count = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the load process ended early')));
    child.on('message', (message) => {
      if (message === 'begin') before = process.cpuUsage();
      else resolve(message as number);
    });
  });
  const { user, system } = process.cpuUsage(before);
  child.kill();
  await ended;
  await target.close();
  return { rate: count / SECONDS, cpuUs: (user + system) / count };
}

async function load(protocol: Protocol, port: number): Promise<void> {
  let count = 0;
  const answered = (): void => {
    count += 1;
  };
  if (protocol === 'h1') for (let n = 0; n < CONCURRENCY; n += 1) loopHttp1(port, answered);
  else loopHttp2(port, answered);
  await pause(WARM_UP_SECONDS * 1000);
  count = 0;
  process.send?.('begin');
  await pause(SECONDS * 1000);
  process.send?.(count);
}

/** Answers all have one length, so counting bytes is enough and the client stays light. */
function loopHttp1(port: number, answered: () => void): void {
  const request = `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token\r\nAccept: application/json\r\nUser-Agent: bench\r\n\r\n`;
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => socket.write(request));
  let answerBytes = 0;
  let seen = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (answerBytes === 0) answerBytes = chunk.indexOf('\r\n\r\n') + 4 + body.length;
    if (seen < answerBytes) return;
    seen = 0;
    answered();
    socket.write(request);
  });
}

function loopHttp2(port: number, answered: () => void): void {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  const again = (): void => {
    if (session.destroyed) return;
    const stream = session.request({ ':path': PATH, authorization: 'Bearer token', accept: 'application/json' });
    stream.on('error', () => {});
    stream.on('end', () => {
      answered();
      again();
    });
    stream.resume();
  };
  for (let n = 0; n < CONCURRENCY; n += 1) again();
}
