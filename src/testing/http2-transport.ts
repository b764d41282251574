import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { flatHeaders } from './flat-headers.ts';
import { lengthOf, type TestRequest, type TestStream, type Transport } from './transport.ts';

/** HTTP/2 over one TLS connection; the server's certificate is not verified. */
export function overHttp2(url: string): Transport {
  const session: ClientHttp2Session = connect(url, { rejectUnauthorized: false });
  // A connection error is reported by the requests in flight.
  session.on('error', () => {});
  const open = ({ method, path, headers, body }: TestRequest, stop?: AbortSignal): Promise<TestStream> =>
    new Promise((resolve, reject) => {
      const signal = stop === undefined ? {} : { signal: stop };
      const stream: ClientHttp2Stream = session.request({ ...lengthOf(body), ...headers, ':method': method, ':path': path }, { ...signal, endStream: body === undefined });
      stream.on('error', reject);
      stream.on('response', (answer: IncomingHttpHeaders & { readonly ':status'?: number }) => {
        resolve({ status: answer[':status'] ?? 0, headers: flatHeaders(answer), chunks: stream });
      });
      if (body !== undefined) stream.end(body);
    });
  return {
    async send(request) {
      const { status, headers, chunks } = await open(request);
      const all: Uint8Array[] = [];
      for await (const chunk of chunks) all.push(chunk);
      return { status, headers, bytes: Buffer.concat(all) };
    },
    open,
    // Not `close(resolve)`: on a session that the server has already closed, the callback is never called.
    close: () =>
      new Promise((resolve) => {
        if (session.destroyed) return resolve();
        session.once('close', resolve);
        session.close();
      }),
  };
}
