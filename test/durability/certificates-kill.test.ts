import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { brandOf } from '#api';
import type { TestJson } from '#testing';
import { linesOf, start } from '../cli/orch-command.ts';
import { newRequester, person } from '../support/certificate-requests.ts';

/** 3 in the ordinary suite; CI asks for 200. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 3);
/** The server is killed at a random moment of this span after the first approval of the round. */
const LIFE_MS = 40;
const REQUESTS_PER_ROUND = 10;
const { names, group } = brandOf('orch');
const COLLECTION = `/apis/${group('certificates')}/v1/certificatesigningrequests`;

const cwd = mkdtempSync(join(tmpdir(), 'orch-certificates-kill-'));
after(() => rmSync(cwd, { recursive: true }));

class Client {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #url: string;
  readonly #token: string;

  constructor(url: string) {
    this.#url = url;
    this.#token = readFileSync(join(cwd, 'data/pki/admin.token'), 'utf8').trim();
  }

  /** Rejects when the server goes away. */
  async send(method: string, path: string, body?: object): Promise<TestJson> {
    const answer = await this.open(method, path, body);
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return JSON.parse(text) as TestJson;
  }

  open(method: string, path: string, body?: object): Promise<IncomingMessage> {
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, resolve);
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Resolves when all of the requests have a certificate. */
async function issued(client: Client, wanted: ReadonlySet<string>): Promise<void> {
  const missing = new Set(wanted);
  const look = ({ metadata, status }: TestJson): void => void (status.certificate !== undefined && missing.delete(metadata.name as string));
  const list = await client.send('GET', COLLECTION);
  list.items.forEach(look);
  if (missing.size === 0) return;
  const watch = await client.open('GET', `${COLLECTION}?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
  for await (const line of createInterface({ input: watch })) {
    look((JSON.parse(line) as TestJson).object);
    if (missing.size === 0) break;
  }
  watch.destroy();
  assert.deepEqual([...missing], [], 'the watch has ended before');
}

describe(`a server that is killed while it signs, ${ROUNDS} rounds`, () => {
  it('R1-13 whatever was approved has its certificate after the restart', async () => {
    const { base64 } = await (await newRequester()).make({ subject: person('a') });
    const approved = new Set<string>();
    for (let round = 0; round <= ROUNDS; round++) {
      const server = start(['serve', '--secure-port=0', '--data-dir=data'], { cwd });
      const exit = once(server, 'exit');
      const [url = ''] = /https:\/\/\S+/.exec(await linesOf(server)()) ?? [];
      const client = new Client(url);
      await issued(client, approved);
      if (round === ROUNDS) {
        server.kill('SIGTERM');
      } else {
        let isArmed = false;
        const ask = async (name: string): Promise<void> => {
          const spec = { signerName: names.clientSigner, usages: ['client auth'], request: base64 };
          const made = await client.send('POST', COLLECTION, { metadata: { name }, spec });
          const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
          await client.send('PUT', `${COLLECTION}/${name}/approval`, { ...made, status: { conditions } });
          approved.add(name);
          if (!isArmed) setTimeout(() => server.kill('SIGKILL'), Math.random() * LIFE_MS);
          isArmed = true;
        };
        await Promise.allSettled(Array.from({ length: REQUESTS_PER_ROUND }, (_, at) => ask(`round-${round}-${at}`)));
      }
      await exit;
      client.close();
    }
    assert.ok(approved.size >= ROUNDS, 'something was approved in every round');
  });
});
