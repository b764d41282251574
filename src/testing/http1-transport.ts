import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { flatHeaders } from './flat-headers.ts';
import { lengthOf, type TestRequest, type Transport } from './transport.ts';

/** HTTP/1.1 over a socket; the server's certificate is not verified. */
export function overHttp1(url: string): Transport {
  const isPlain = url.startsWith('http:');
  const agent = isPlain ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true, rejectUnauthorized: false });
  const ask = ({ method, path, headers, body }: TestRequest, stop?: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const options: RequestOptions = { hostname: hostname.replace(/^\[|\]$/g, ''), port, method, path, headers: { ...lengthOf(body), ...headers }, agent, ...(stop === undefined ? {} : { signal: stop }) };
      const request = (isPlain ? httpRequest : httpsRequest)(options, resolve);
      request.on('error', reject);
      request.end(body);
    });
  return {
    async send(request) {
      const answer = await ask(request);
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer) chunks.push(chunk as Uint8Array);
      return { status: answer.statusCode ?? 0, headers: flatHeaders(answer.headers), bytes: Buffer.concat(chunks) };
    },
    async open(request, stop) {
      const answer = await ask(request, stop);
      return { status: answer.statusCode ?? 0, headers: flatHeaders(answer.headers), chunks: answer };
    },
    close() {
      agent.destroy();
      return Promise.resolve();
    },
  };
}
