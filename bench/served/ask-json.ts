import { Agent, request } from 'node:https';
import { TOKEN } from './load.ts';

/** What benches look at in answers. */
export interface AnswerBody {
  readonly metadata?: { readonly uid?: string };
  readonly items?: readonly object[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

/** One request after another on one connection, answered with an object. */
export function askJson(port: number, method: string, path: string, body?: string): Promise<{ readonly status: number; readonly text: string; readonly body: AnswerBody }> {
  return new Promise((answered, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json', 'content-type': 'application/json', ...length };
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => answered({ status: response.statusCode ?? 0, text, body: JSON.parse(text) as AnswerBody }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
