import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestJson } from '#testing';

/** The administrator of a server that may be gone at any moment: then every call rejects. */
export class ApiConnection {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, dataDir: string) {
    this.#url = url;
    this.#token = readFileSync(join(dataDir, 'pki/admin.token'), 'utf8').trim();
  }

  /** What the server did; rejects where it refused, too. */
  async send(method: string, path: string, body?: object): Promise<TestJson> {
    const answer = await this.#open(method, path, body);
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text) as TestJson;
  }

  /** Follows a collection until its objects, by name, are as wanted. */
  async until(path: string, isWanted: (objects: ReadonlyMap<string, TestJson>) => boolean): Promise<void> {
    const { items, metadata } = await this.send('GET', path);
    const objects = new Map((items as TestJson[]).map((one) => [one.metadata.name as string, one]));
    if (isWanted(objects)) return;
    const watch = await this.#open('GET', `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    for await (const line of createInterface({ input: watch })) {
      const { type, object } = JSON.parse(line) as TestJson;
      if (type === 'DELETED') objects.delete(object.metadata.name as string);
      else objects.set(object.metadata.name as string, object);
      if (!isWanted(objects)) continue;
      watch.destroy();
      return;
    }
    throw new Error(`the watch of ${path} has ended before`);
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, body?: object): Promise<IncomingMessage> {
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, resolve);
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }
}
