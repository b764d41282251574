// Stands in for the agent of a node: runs commands, joins containers, forwards ports and shows logs as kubelets do, for whoever shows a
// certificate. A container is a folder, and its commands are programs of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Pair } from '../support/certificates.ts';
import { serveSpdy, type SpdyStream } from './spdy.ts';
import { acceptKey, serveChannels } from './web-socket.ts';

export interface StandInKubelet {
  readonly port: number;
  /** Requests as they came: method, path with query, and the protocol they asked for. */
  readonly asked: readonly string[];
  /** Writes a line of the log that is followed. */
  say(line: string): void;
  close(): Promise<void>;
}

export interface KubeletOptions {
  readonly serving: Pair;
  /** Who vouches for the certificates of callers; others are turned away before they ask. */
  readonly authority: string;
  /** The folder that commands run in. */
  readonly folder: string;
  /** Newer agents run commands over WebSocket as well. */
  readonly hasWebSocket: boolean;
}

export async function startStandInKubelet({ serving, authority, folder, hasWebSocket }: KubeletOptions): Promise<StandInKubelet> {
  const asked: string[] = [];
  const open = new Set<Duplex>();
  const followers = new Set<ServerResponse>();
  const note = ({ method, url, headers }: IncomingMessage): void => void asked.push(`${method} ${url} ${headers.upgrade ?? ''}`.trimEnd());
  const server = createServer({ ...serving, ca: authority, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    note(request);
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://node');
    if (!pathname.startsWith('/containerLogs/')) return void response.end(`${request.method} ${request.url} at the node`);
    response.write('first line\n');
    if (searchParams.get('follow') === 'true') followers.add(response);
    else response.end('last line\n');
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    note(request);
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
    const url = new URL(request.url ?? '', 'https://node');
    const isForward = url.pathname.startsWith('/portForward/');
    if (request.headers.upgrade === 'SPDY/3.1') return overSpdy(socket, isForward, url, folder);
    if (isForward || !hasWebSocket) return void socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
    overWebSocket(request, socket, url, folder);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    say: (line) => followers.forEach((response) => response.write(`${line}\n`)),
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const agreed = (protocol: string, ...headers: readonly string[]): string =>
  ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${protocol}`, ...headers, '', ''].join('\r\n');

function overSpdy(socket: Duplex, isForward: boolean, url: URL, folder: string): void {
  socket.write(agreed('SPDY/3.1', `X-Stream-Protocol-Version: ${isForward ? 'portforward.k8s.io' : 'v4.channel.k8s.io'}`));
  const streams = new Map<string, SpdyStream>();
  const wanted = wantedStreams(url);
  const accept = (stream: SpdyStream): void => {
    streams.set(stream.headers.get('streamtype') ?? '', stream);
    if (streams.size < wanted.length) return;
    const of = (name: string): SpdyStream | undefined => streams.get(name);
    const error = of('error');
    if (error !== undefined) void runIn(folder, url, { stdin: of('stdin'), stdout: of('stdout'), stderr: of('stderr'), error });
  };
  void serveSpdy(socket, isForward ? forwarder() : accept).then(
    () => socket.end(),
    () => socket.destroy(),
  );
}

/** The names of the streams that a client opens for what it asks. */
function wantedStreams({ searchParams }: URL): readonly string[] {
  const ofQuery = { input: 'stdin', output: 'stdout', error: 'stderr', tty: 'resize' };
  return ['error', ...Object.entries(ofQuery).flatMap(([asked, name]) => (searchParams.get(asked) === '1' ? [name] : []))];
}

/** Each connection to a port is two streams of one number: its bytes, and what went wrong with it. */
function forwarder(): (stream: SpdyStream) => void {
  const errors = new Map<string, SpdyStream>();
  return (stream) => {
    const number = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') return void errors.set(number, stream);
    const error = errors.get(number);
    const target = connect(Number(stream.headers.get('port')), '127.0.0.1');
    target.on('error', ({ message }) => error?.write(message));
    target.once('close', () => {
      stream.end();
      error?.end();
    });
    stream.pipe(target).pipe(stream, { end: false });
  };
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;

function overWebSocket({ headers }: IncomingMessage, socket: Duplex, url: URL, folder: string): void {
  const protocol = 'v5.channel.k8s.io';
  socket.write(agreed('websocket', `Sec-WebSocket-Accept: ${acceptKey(headers['sec-websocket-key'] ?? '')}`, `Sec-WebSocket-Protocol: ${protocol}`));
  const channels = serveChannels(socket);
  const wanted = wantedStreams(url);
  const stdin = wanted.includes('stdin') ? channels.incoming(STDIN) : undefined;
  void runIn(folder, url, { stdin, stdout: channels.outgoing(STDOUT), stderr: channels.outgoing(STDERR), error: channels.outgoing(ERROR) }).then(channels.close);
}

interface Streams {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Takes how the command ended. */
  readonly error: Writable;
}

/** Runs what is asked for; who joins a container finds one that repeats what it hears. Resolves when the last byte is written. */
async function runIn(folder: string, { pathname, searchParams }: URL, { stdin, stdout, stderr, error }: Streams): Promise<void> {
  const [program = 'cat', ...args] = pathname.startsWith('/attach/') ? [] : searchParams.getAll('command');
  const child = spawn(program, args, { cwd: folder });
  child.stdin.on('error', () => {});
  if (stdin === undefined) child.stdin.end();
  else stdin.pipe(child.stdin);
  if (stdout !== undefined) child.stdout.pipe(stdout, { end: false });
  if (stderr !== undefined) child.stderr.pipe(stderr, { end: false });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  stdout?.end();
  stderr?.end();
  error.end(JSON.stringify(outcome(code, signal)));
  await once(error, 'finish');
}

function outcome(code: number | null, signal: string | null): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  const causes = [{ reason: 'ExitCode', message: String(code ?? 128) }];
  return { metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', message: `the command ended with ${code ?? signal}`, details: { causes } };
}
