import { isDeepEqual, parseWrittenJson, steady, type Clock, type Log } from '#base';
import { isAvailable, type Elsewhere } from './api-service.ts';
import type { BackEnds } from './back-ends.ts';
import { askOnOwnAccount, backEndOf, type ProxyCertificate } from './calls.ts';
import type { ServiceTable } from './service-table.ts';

/** The OpenAPI document of an aggregated server, of which only the paths below the prefix are used. */
export interface OpenapiSource {
  readonly prefix: string;
  readonly document: unknown;
}

export interface OpenapiSourcesOptions {
  readonly table: ServiceTable;
  readonly backEnds: BackEnds;
  readonly clock: Clock;
  readonly log: Log;
  readonly certificate: ProxyCertificate | undefined;
}

interface Kept {
  /** Of the APIService for which the document was fetched: with another one, another server may be meant. */
  readonly spec: Elsewhere['spec'];
  readonly source: OpenapiSource | undefined;
  readonly etag: string;
  readonly askedAtMs: number;
}

const FRESH_MS = 60_000;
const ANSWER_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The OpenAPI documents of aggregated servers, fetched on demand. */
export class OpenapiSources {
  readonly #options: OpenapiSourcesOptions;
  readonly #kept = new Map<string, Kept>();
  #refreshing: Promise<void> | undefined;
  #all: readonly OpenapiSource[] = [];

  constructor(options: OpenapiSourcesOptions) {
    this.#options = options;
  }

  /** The documents fetched so far. A new array after every change. */
  get all(): readonly OpenapiSource[] {
    return this.#all;
  }

  /**
   * Resolves when all available documents are at most a minute old, and from the servers that are meant now. Never rejects: documents that cannot be
   * fetched are missing.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const { elsewhere } = this.#options.table;
    for (const name of this.#kept.keys()) if (!elsewhere.has(name)) this.#kept.delete(name);
    await Promise.all([...elsewhere].map(([name, service]) => this.#fetch(name, service)));
    const now = [...this.#kept].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, { source }]) => (source === undefined ? [] : [source]));
    if (now.length !== this.#all.length || now.some((source, at) => source !== this.#all[at])) this.#all = now;
  }

  async #fetch(name: string, service: Elsewhere): Promise<void> {
    const { clock, log } = this.#options;
    const { spec } = service;
    const known = this.#kept.get(name);
    const before = known !== undefined && isDeepEqual(known.spec, spec) ? known : undefined;
    const askedAtMs = steady(clock).nowMs();
    if (!isAvailable(service) || (before !== undefined && askedAtMs < before.askedAtMs + FRESH_MS)) return;
    try {
      this.#kept.set(name, { ...(await this.#ask(service, before)), spec, askedAtMs });
    } catch (cause) {
      log.warn('the OpenAPI document of an aggregated API could not be fetched', { name, cause });
      this.#kept.set(name, { source: before?.source, etag: before?.etag ?? '', spec, askedAtMs });
    }
  }

  async #ask(service: Elsewhere, before: Kept | undefined): Promise<Omit<Kept, 'spec' | 'askedAtMs'>> {
    const { backEnds, clock, certificate } = this.#options;
    const lead = backEnds.leadTo(service);
    if ('nowhere' in lead) throw new Error(lead.nowhere);
    const stop = new AbortController();
    const tooLate = clock.after(ANSWER_MS, () => stop.abort());
    try {
      const ask = before?.source === undefined || before.etag === '' ? {} : { 'if-none-match': before.etag };
      const answer = await askOnOwnAccount(backEndOf(service, lead.addresses, certificate), '/openapi/v2', { accept: 'application/json', ...ask }, stop.signal);
      if (answer.status === 304 && before !== undefined) return before;
      if (answer.status === 404) return { source: undefined, etag: '' };
      if (answer.status !== 200) throw new Error(`it answered ${answer.status}`);
      const document = parseWrittenJson(await readAll(answer.chunks));
      const { group = '', version = '' } = service.spec;
      return { source: { prefix: `/apis/${group}/${version}/`, document }, etag: answer.headers['etag']?.[0] ?? '' };
    } finally {
      tooLate();
      stop.abort();
    }
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`it is longer than ${MAX_BYTES} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts, size);
}
