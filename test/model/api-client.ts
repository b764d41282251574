import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { TestJson } from '#testing';

export interface Answer {
  readonly status: number;
  readonly body: TestJson;
}

/** It did not come in time, or nobody waits for it any more. */
export class NoAnswer extends Error {}

/** Requests over real sockets to servers that come and go: each call asks where the server is now. */
export class ApiClient {
  readonly #where: () => string;
  readonly #plain = new HttpAgent({ keepAlive: true });
  readonly #secure = new HttpsAgent({ keepAlive: true, rejectUnauthorized: false });

  constructor(where: () => string) {
    this.#where = where;
  }

  /** Rejects when no whole answer comes within `withinMs`. */
  async send(method: string, path: string, body?: object, withinMs = 60_000): Promise<Answer> {
    const answer = await this.#ask(method, path, body, AbortSignal.timeout(withinMs));
    return { status: answer.statusCode ?? 0, body: parse(await textOf(answer)) };
  }

  /** Hands over each line as it comes; resolves at the end of the stream, whatever ended it, to the status. Rejects when it cannot be opened. */
  async lines(path: string, take: (line: TestJson) => void, signal: AbortSignal): Promise<number> {
    const answer = await this.#ask('GET', path, undefined, signal);
    let tail = '';
    try {
      for await (const chunk of answer.setEncoding('utf8')) {
        const parts = (tail + String(chunk)).split('\n');
        tail = parts.pop() ?? '';
        for (const line of parts) if (line !== '') take(parse(line));
      }
    } catch {
      // Cut off: what came whole counts.
    }
    return answer.statusCode ?? 0;
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #ask(method: string, path: string, body: object | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const url = this.#where();
    const isPlain = url.startsWith('http:');
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: 'Bearer admintoken', 'content-type': type, 'content-length': Buffer.byteLength(bytes) };
    return new Promise((resolve, reject) => {
      const options = { method, headers, signal, agent: isPlain ? this.#plain : this.#secure };
      const outgoing = (isPlain ? httpRequest : httpsRequest)(`${url}${path}`, options, resolve);
      outgoing.on('error', (cause: Error) => reject(signal.aborted ? new NoAnswer(`${method} ${path}`) : cause));
      outgoing.end(bytes);
    });
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  return text;
}

function parse(text: string): TestJson {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
