/** What the servers without an API have in common. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';

/** The certificate and key in a folder. */
export const tlsFrom = (folder: string): { readonly cert: Buffer; readonly key: Buffer } => ({
  cert: readFileSync(join(folder, 'server.crt')),
  key: readFileSync(join(folder, 'server.key')),
});

export function readAll(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks)));
}
