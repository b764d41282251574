/**
 * What a Node server reaches that commits each body before it answers with it, and has no API: HTTP/1.1 in front of an LMDB store of its own. Forked
 * with the folder of certificate and key; tells its port.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { keyOf, withEngine } from '../engine-load.ts';
import { readAll, tlsFrom } from './bare-http.ts';
import './observe.ts';

await withEngine(async (engine) => {
  let made = 0;
  const server = createServer(tlsFrom(process.argv[2] ?? ''), (request, response) => {
    readAll(request, (body) => {
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
