/**
 * The program that envtest starts as etcd: it reports healthy until it is terminated. The API server beside it keeps its data in memory and makes no
 * requests to it. Accepts all flags of etcd, and evaluates one of them. As etcd does, it takes flags with one dash or two, and their values behind
 * an equals sign or as the next word.
 */
import { createServer } from 'node:http';
import { ownVersion } from '../own-version.ts';

const FLAG = '--listen-client-urls';

// envtest reads the help for the available flags before it passes any.
if (process.argv.includes('--help')) process.stdout.write(`Stands in for etcd where nothing is to be kept.\n\n  ${FLAG}=<url>  where to listen\n`);
else if (process.argv.includes('--version')) process.stdout.write(`Stands in for etcd, of orch ${await ownVersion()}\n`);
else serve();

function given(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const [name, ...value] = (word.startsWith('--') ? word : `-${word}`).split('=');
    if (name === FLAG) return value.length > 0 ? value.join('=') : words[at + 1];
  }
  return undefined;
}

function serve(): void {
  const { hostname, port } = new URL((given(process.argv.slice(2)) ?? 'http://127.0.0.1:2379').split(',')[0] ?? '');
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"health":"true"}');
  });
  server.on('error', ({ message }) => {
    process.stderr.write(`the stand-in for etcd cannot listen at ${hostname}:${port}: ${message}\n`);
    process.exitCode = 1;
  });
  server.listen(Number(port), hostname, () => process.stdout.write(`stands in for etcd at ${hostname}:${port}\n`));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
}
