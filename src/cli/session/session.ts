import { existsSync } from 'node:fs';
import { JsonSyntaxError, parseJson } from '#codec';
import { createHttpClient, readJsonLines, readKubeconfig, TransportFailure, type HttpClient, type HttpRequest } from '#transport';
import type { FlagValues } from '../parse-flags.ts';
import type { Terminal } from '../terminal.ts';
import { statusError } from './status-error.ts';

/** A server and how it is spoken to. */
export interface Session {
  readonly origin: string;
  /** Of what does not name one itself. */
  readonly namespace: string;
  /** Whether the caller named the namespace on the command line. */
  readonly isNamespaceGiven: boolean;
  /** The parsed answer. Throws `ApiError` for refusals and `TransportFailure` where there is no answer. */
  ask(request: HttpRequest): Promise<ApiAnswer>;
  /** The values of a stream of JSON lines. Throws as `ask` does, also while it is read. */
  follow(request: HttpRequest): Promise<AsyncIterable<unknown>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly value: unknown;
}

/** Where a server started here writes its kubeconfig. */
const OWN_KUBECONFIG = './orch-data/kubeconfig';

/** Opens a session for the time of `use`. */
export async function withSession<T>(flags: FlagValues, terminal: Terminal, use: (session: Session) => Promise<T>): Promise<T> {
  const connection = await readKubeconfig(kubeconfigOf(flags, terminal));
  const client = createHttpClient(connection);
  const namespace = flags.text('namespace');
  try {
    return await use({
      origin: client.origin,
      namespace: namespace ?? connection.namespace,
      isNamespaceGiven: namespace !== undefined,
      ask: (request) => ask(client, request),
      follow: (request) => follow(client, request),
    });
  } finally {
    client.close();
  }
}

function kubeconfigOf(flags: FlagValues, terminal: Terminal): string {
  const given = flags.text('kubeconfig') ?? (terminal.env['KUBECONFIG'] || undefined);
  if (given !== undefined) return given;
  if (existsSync(OWN_KUBECONFIG)) return OWN_KUBECONFIG;
  throw new TransportFailure(
    'configuration',
    `which server? There is no --kubeconfig, no $KUBECONFIG and no ${OWN_KUBECONFIG}.\n  orch serve starts a server here and writes that file`,
  );
}

const withDefaults = (request: HttpRequest): HttpRequest => ({
  ...request,
  headers: { accept: 'application/json', 'user-agent': 'orch', ...request.headers },
});

async function ask(client: HttpClient, request: HttpRequest): Promise<ApiAnswer> {
  const { status, body } = await client.request(withDefaults(request));
  if (status >= 200 && status < 300) return { status, value: parse(body, client.origin) };
  throw refusal(status, body, client.origin);
}

async function follow(client: HttpClient, request: HttpRequest): Promise<AsyncIterable<unknown>> {
  const { status, chunks } = await client.stream(withDefaults(request));
  if (status === 200) return readJsonLines(chunks, (line) => parse(line, client.origin));
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  throw refusal(status, Buffer.concat(pieces), client.origin);
}

function refusal(status: number, body: Uint8Array, origin: string): Error {
  if (status >= 300 && status < 400) return new TransportFailure('configuration', `${origin} redirects elsewhere, which is not followed: is it an API server?`);
  let value: unknown;
  try {
    value = parse(body, origin);
  } catch {
    // Not everyone who refuses speaks JSON: the code says enough.
  }
  return statusError(value, status);
}

function parse(bytes: Uint8Array, origin: string): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) throw new TransportFailure('configuration', `${origin} did not answer with JSON: is it an API server?`, { cause });
    throw cause;
  }
}
