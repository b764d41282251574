/**
 * What a Node server reaches that commits each body before it answers with it, and has no API: HTTP/1.1 in front of an LMDB store of its own. Forked
 * with the folder of certificate and key; tells its port.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { keyOf, withEngine } from '../engine-load.ts';
import './observe.ts';

const folder = process.argv[2] ?? '';
const tls = { cert: readFileSync(join(folder, 'server.crt')), key: readFileSync(join(folder, 'server.key')) };

await withEngine(async (engine) => {
  let made = 0;
  const server = createServer(tls, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      void engine.commit({ key: keyOf(made++), expect: 0, value: body }).then(({ done }) => {
        response.writeHead(done ? 201 : 409, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
      });
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ h1: (server.address() as AddressInfo).port }));
  await new Promise((resolve) => process.once('SIGTERM', resolve));
  server.closeAllConnections();
  server.close();
});
