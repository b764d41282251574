import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { definePlugin, refuse, startServer, type RunningServer } from 'orch';

/** A rule of one's own: it runs among the built-in plugins, and in dry runs, too. */
const teams = definePlugin({
  name: 'Teams',
  enabled: true,
  band: 'builtin',
  create: () => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/configmaps'],
    validate(request) {
      if (request.object?.metadata.labels?.['team'] === undefined) throw refuse(request, 'it belongs to no team');
    },
  }),
});

/** Nobody reaches it but by way of this process. */
export const startPlatform = (tokens: string): Promise<RunningServer> =>
  startServer({ dialect: 'kubernetes', listen: false, controllers: '*,-root-ca-cert-publisher', tokens, admission: { plugins: [teams] }, log: console });

/** Answers what comes to a server of `node:http`; in Express `app.use('/kube', (request, response) => forward(server, request, response))`. */
export async function forward(server: RunningServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headersDistinct } = request;
  const headers = Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values]));
  // Who leaves while the body arrives, or before there is an answer, ends the work on the request, and fails nothing here.
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    const answer = await server.exchange({ method, path: url, headers, body: Buffer.concat(await request.toArray()), signal: left.signal });
    response.writeHead(answer.status, answer.headers).flushHeaders();
    // A watch goes on until its reader leaves: a `Readable` tells of that at once, not with the next event.
    await pipeline(Readable.from('body' in answer ? [answer.body] : answer.stream), response);
  } catch {
    response.destroy();
  }
}
