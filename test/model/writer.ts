import { configMap, ENDINGS, itemOf } from './objects.ts';
import { NoAnswer, type Answer, type ApiClient } from './api-client.ts';
import type { Item, Recorder, Wanted, WriteRecord } from './history.ts';
import type { Random } from './random.ts';

export interface WriterOptions {
  readonly client: ApiClient;
  readonly random: Random;
  readonly recorder: Recorder;
  /** The path of the collection. */
  readonly path: string;
  readonly keys: readonly string[];
  /** A value that nobody else writes. */
  readonly newNumber: () => number;
  /** Told of answers that no request deserves. */
  readonly unexpected: (what: string) => void;
}

/** Statuses of a server that cannot do it now: it ends, its store or a webhook does not answer, its disk is full. */
const AWAY = [429, 500, 503, 504, 507];
const MAX_TRIES = 500;

/** One client that writes and reads as the dice fall. */
export class Writer {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async step(): Promise<void> {
    const { random, keys } = this.#options;
    const key = random.pick(keys);
    const dice = random.int(20);
    if (dice < 4) return this.#write({ key, op: 'create', value: this.#newValue(), expect: 0 });
    if (dice < 7) return this.#write({ key, op: 'patch', value: this.#newValue() });
    if (dice < 9) return this.#list(this.#wanted());
    if (dice < 10) return this.#listPages();
    const found = await this.#get(key, dice < 11 ? 'any' : 'latest');
    if (found === undefined || dice < 12) return;
    if (dice < 17) return this.#write({ key, op: 'update', value: this.#newValue(), expect: found.revision });
    return this.#write({ key, op: 'delete', value: undefined, expect: found.revision });
  }

  /** Changes the object so that every watch that could ask for it sees it. Resolves to the last revision; tries until it is done. */
  async touch(key: string): Promise<number> {
    const { newNumber } = this.#options;
    await this.#surely([{ key, op: 'patch', value: `${newNumber()}-a` }, { key, op: 'create', value: `${newNumber()}-a`, expect: 0 }]);
    return this.#surely([{ key, op: 'patch', value: `${newNumber()}-b` }]);
  }

  /** One after the other, until one is done. */
  async #surely(writes: readonly Pick<WriteRecord, 'key' | 'op' | 'value' | 'expect'>[]): Promise<number> {
    const { newNumber, recorder } = this.#options;
    for (let i = 0; i < MAX_TRIES; i++) {
      for (const write of writes) {
        const value = `${newNumber()}${write.value?.slice(-2) ?? ''}`;
        await this.#write({ ...write, value });
        const revision = recorder.writes.findLast((done) => done.value === value)?.revision;
        if (revision !== undefined) return revision;
      }
      await this.#pause();
    }
    throw new Error('the server does not come back');
  }

  async #write(write: Pick<WriteRecord, 'key' | 'op' | 'value' | 'expect'>): Promise<void> {
    const { recorder, unexpected } = this.#options;
    const start = recorder.now();
    const answer = await this.#ask(() => this.#send(write));
    const end = recorder.now();
    if (answer === undefined || AWAY.includes(answer.status)) {
      recorder.writes.push({ ...write, start, end: Infinity, outcome: 'unknown' });
    } else if (answer.status === 404 || answer.status === 409) {
      recorder.writes.push({ ...write, start, end, outcome: 'refused' });
    } else if (answer.status === 200 || answer.status === 201) {
      const revision = write.op === 'delete' ? {} : { revision: Number(answer.body.metadata.resourceVersion) };
      recorder.writes.push({ ...write, start, end, outcome: 'done', ...revision });
    } else {
      unexpected(`${write.op} is answered ${answer.status}: ${answer.body?.message}`);
    }
  }

  #send({ key, op, value = '', expect }: Pick<WriteRecord, 'key' | 'op' | 'value' | 'expect'>): Promise<Answer> {
    const { client, path } = this.#options;
    if (op === 'create') return client.send('POST', path, configMap(key, value));
    if (op === 'patch') return client.send('PATCH', `${path}/${key}`, { metadata: { labels: { ending: value.slice(-1) } }, data: { value } });
    if (op === 'update') return client.send('PUT', `${path}/${key}`, configMap(key, value, expect));
    return client.send('DELETE', `${path}/${key}`, { preconditions: { resourceVersion: String(expect) } });
  }

  async #get(key: string, wanted: 'any' | 'latest'): Promise<Item | undefined> {
    const { client, path, recorder, unexpected } = this.#options;
    const start = recorder.now();
    const answer = await this.#ask(() => client.send('GET', `${path}/${key}${wanted === 'any' ? '?resourceVersion=0' : ''}`));
    if (answer === undefined || AWAY.includes(answer.status)) return undefined;
    if (answer.status !== 200 && answer.status !== 404) unexpected(`a get is answered ${answer.status}`);
    const found = answer.status === 200 ? itemOf(answer.body) : undefined;
    recorder.gets.push({ key, wanted, found, start, end: recorder.now() });
    return found;
  }

  #wanted(): Wanted {
    const { random, recorder } = this.#options;
    const known = recorder.lists.at(-1)?.revision;
    const dice = random.int(6);
    if (dice === 0) return 'any';
    if (dice === 1 && known !== undefined) return { notOlderThan: known };
    if (dice === 2 && known !== undefined) return { exactly: known };
    return 'latest';
  }

  async #list(wanted: Wanted): Promise<void> {
    const { path, recorder } = this.#options;
    const start = recorder.now();
    const body = await this.#page(`${path}${queryOf(wanted)}`);
    if (body === undefined) return;
    recorder.lists.push({ wanted, revision: Number(body.metadata.resourceVersion), items: body.items.map(itemOf), start, end: recorder.now() });
  }

  /** One moment, whatever is written between the pages. */
  async #listPages(): Promise<void> {
    const { path, recorder, random, unexpected } = this.#options;
    const start = recorder.now();
    const limit = 1 + random.int(3);
    let body = await this.#page(`${path}?limit=${limit}`);
    const items: Item[] = [];
    const revision = body?.metadata.resourceVersion as string | undefined;
    while (body !== undefined) {
      if (body.metadata.resourceVersion !== revision) unexpected(`a page of ${revision} shows ${body.metadata.resourceVersion}`);
      items.push(...body.items.map(itemOf));
      if (body.metadata.continue === undefined || body.metadata.continue === '') break;
      body = await this.#page(`${path}?limit=${limit}&continue=${encodeURIComponent(body.metadata.continue)}`);
    }
    if (body !== undefined) recorder.lists.push({ wanted: 'latest', revision: Number(revision), items, start, end: recorder.now() });
  }

  /** undefined: the server is away, or what was asked for is compacted. */
  async #page(path: string): Promise<Answer['body']> {
    const { client, unexpected, recorder } = this.#options;
    const answer = await this.#ask(() => client.send('GET', path));
    if (answer === undefined || AWAY.includes(answer.status)) return undefined;
    if (answer.status === 410 && recorder.compactions.length > 0) return undefined;
    if (answer.status === 200) return answer.body;
    unexpected(`GET ${path} is answered ${answer.status}: ${answer.body?.message}`);
    return undefined;
  }

  async #ask(send: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await send();
    } catch (cause) {
      if (cause instanceof NoAnswer) this.#options.unexpected(`a request is not answered: ${cause.message}`);
      // Or all steps would be over before the server is back.
      await this.#pause();
      return undefined;
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 20 + this.#options.random.int(20)));
  }

  #newValue(): string {
    return `${this.#options.newNumber()}-${this.#options.random.pick(ENDINGS)}`;
  }
}

function queryOf(wanted: Wanted): string {
  if (wanted === 'latest') return '';
  if (wanted === 'any') return '?resourceVersion=0';
  if ('exactly' in wanted) return `?resourceVersion=${wanted.exactly}&resourceVersionMatch=Exact`;
  return `?resourceVersion=${wanted.notOlderThan}&resourceVersionMatch=NotOlderThan`;
}
