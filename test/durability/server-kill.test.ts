import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { linesOf, start } from '../cli/orch-command.ts';

/** 3 in the ordinary suite; CI asks for 200. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 3);
/** The server is killed at a random moment of this span after the first acknowledged write of the round. */
const LIFE_MS = 40;
const WRITERS = 8;
const PREFIX = 'writer-';
const COLLECTION = '/api/v1/namespaces/default/configmaps';

const cwd = mkdtempSync(join(tmpdir(), 'orch-kill-'));
after(() => rmSync(cwd, { recursive: true }));

interface Answer {
  readonly status: number;
  readonly body: { readonly metadata: { readonly name: string; readonly resourceVersion: string }; readonly data?: { readonly n: string }; readonly items?: readonly Answer['body'][] };
}

/** What a writer was told: its counter and the version it got. */
interface Told {
  readonly n: number;
  readonly version: number;
}

class Client {
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #url: string;
  readonly #token: string;

  constructor(url: string) {
    this.#url = url;
    this.#token = readFileSync(join(cwd, 'data/pki/admin.token'), 'utf8').trim();
  }

  /** Rejects when the server goes away. */
  send(method: string, path: string, body?: object): Promise<Answer> {
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#url}${path}`, { method, headers, agent: this.#agent }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => (incoming.complete ? resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] }) : reject(new Error('cut off'))));
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Counts up in an object of its own until the server is gone; `tell` hears of every acknowledged write. */
async function write(client: Client, name: string, from: number, tell: (told: Told) => void): Promise<void> {
  for (let n = from; ; n++) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { n: String(n) } };
    let answer: Answer;
    try {
      answer = n === 0 ? await client.send('POST', COLLECTION, object) : await client.send('PUT', `${COLLECTION}/${name}`, object);
    } catch {
      return;
    }
    assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer));
    tell({ n, version: Number(answer.body.metadata.resourceVersion) });
  }
}

describe(`a server that is killed while it writes, ${ROUNDS} rounds`, () => {
  it('what was acknowledged is there after the restart, and versions never repeat or go down', async (t) => {
    const told = new Map<string, Told>();
    const versions = new Set<number>();
    let highest = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const server = start(['serve', '--secure-port=0', '--data-dir=data', '--controllers=none'], { cwd });
      t.after(() => server.kill('SIGKILL'));
      const exit = once(server, 'exit');
      const [url = ''] = /https:\/\/\S+/.exec(await linesOf(server)()) ?? [];
      const client = new Client(url);
      const { body } = await client.send('GET', COLLECTION);
      const found = new Map<string, Told>();
      for (const { metadata, data } of body.items ?? []) if (data !== undefined) found.set(metadata.name, { n: Number(data.n), version: Number(metadata.resourceVersion) });
      for (const [name, last] of told) {
        const there = found.get(name);
        assert.ok(there !== undefined && (there.n === last.n || there.n === last.n + 1), `${name} was told ${last.n}, and found is ${there?.n}`);
        if (there.n === last.n) assert.equal(there.version, last.version);
      }
      assert.ok(Number(body.metadata.resourceVersion) >= highest, 'versions do not go down');
      if (round === ROUNDS) {
        server.kill('SIGTERM');
      } else {
        let isArmed = false;
        const tell = (name: string, next: Told): void => {
          assert.ok(!versions.has(next.version), `version ${next.version} repeats`);
          versions.add(next.version);
          highest = Math.max(highest, next.version);
          told.set(name, next);
          if (!isArmed) setTimeout(() => server.kill('SIGKILL'), Math.random() * LIFE_MS);
          isArmed = true;
        };
        // A write of which nobody was told may have become durable: who writes goes on from what is there.
        for (const [name, there] of found) if (name.startsWith(PREFIX)) told.set(name, there);
        const names = Array.from({ length: WRITERS }, (_, i) => `${PREFIX}${i}`);
        await Promise.all(names.map((name) => write(client, name, (told.get(name)?.n ?? -1) + 1, (next) => tell(name, next))));
      }
      await exit;
      client.close();
    }
    assert.ok(versions.size >= ROUNDS, 'something was written in every round');
  });
});
