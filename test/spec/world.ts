// A server that a file of tests shares: started before the first test, closed after the last, once per dialect, store and transport.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe } from 'node:test';
import { brandOf, type Brand, type Dialect } from '#api';
import { startTestServer, type PatchForm, type TestAnswer, type TestJson, type TestServer, type TestWatch } from '#testing';
import { objectOf, prefixOf, rowOf } from './kinds.table.ts';

type Over = 'process' | 'http1' | 'http2';

interface Place {
  readonly dialect: Dialect;
  readonly store: 'memory' | 'lmdb';
  readonly over: Over;
}

const BOTH: readonly Place[] = [
  { dialect: 'orch', store: 'memory', over: 'process' },
  { dialect: 'kubernetes', store: 'memory', over: 'process' },
];

/** Where tests run: both dialects always, and what else a file finds worth its time. */
export const PLACES = {
  both: BOTH,
  withLmdb: [...BOTH, { dialect: 'orch', store: 'lmdb', over: 'process' }],
  withSockets: [...BOTH, { dialect: 'kubernetes', store: 'lmdb', over: 'http1' }, { dialect: 'orch', store: 'memory', over: 'http2' }],
} as const satisfies Readonly<Record<string, readonly Place[]>>;

/** Defines the tests of a file once for each place. */
export function everywhere(places: readonly Place[], define: (world: World) => void): void {
  for (const place of places) {
    describe(`${place.dialect}, ${place.store}, ${place.over}`, () => {
      const world = new World(place);
      before(() => world.start());
      after(() => world.end());
      define(world);
    });
  }
}

const tlsFile = (name: string): string => readFileSync(path.resolve('test/fixtures/tls', name), 'utf8');

export class World {
  readonly dialect: Dialect;
  readonly brand: Brand;
  readonly #place: Place;
  #server: TestServer | undefined;
  #folder: string | undefined;
  #count = 0;

  constructor(place: Place) {
    this.dialect = place.dialect;
    this.brand = brandOf(place.dialect);
    this.#place = place;
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('the world has not started');
    return this.#server;
  }

  async start(): Promise<void> {
    const { dialect, store, over } = this.#place;
    if (store === 'lmdb') this.#folder ??= mkdtempSync(path.join(tmpdir(), 'orch-spec-'));
    const tls = { cert: tlsFile('server.crt'), key: tlsFile('server.key'), clientCa: tlsFile('ca.crt') };
    this.#server = await startTestServer({
      dialect,
      store: this.#folder === undefined ? 'memory://' : `lmdb://${this.#folder}`,
      over,
      // What one test leaves behind is no business of a controller while another test looks.
      controllers: 'none',
      ...(over === 'process' ? {} : { listen: { tls } }),
    });
  }

  /** The same store in a new server: what is left is what was stored. */
  async restart(): Promise<void> {
    await this.server.close();
    await this.start();
  }

  get keepsItsData(): boolean {
    return this.#place.store !== 'memory';
  }

  async end(): Promise<void> {
    await this.#server?.close();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A name nobody else uses. */
  fresh(prefix = 'x'): string {
    this.#count += 1;
    return `${prefix}-${this.#count}`;
  }

  /** A namespace of its own. */
  async namespace(): Promise<string> {
    const name = this.fresh('ns');
    await this.make('Namespace', '', { name });
    return name;
  }

  /** The path of a collection, or of one object in it. */
  path(kind: string, namespace: string, name = ''): string {
    const row = rowOf(kind);
    const where = namespace === '' ? '' : `/namespaces/${namespace}`;
    return `${prefixOf(this.brand, row)}${where}/${row.plural}${name === '' ? '' : `/${name}`}`;
  }

  object(kind: string, metadata: object, body?: object): TestJson {
    return objectOf(this.brand, rowOf(kind), metadata, body);
  }

  /** Creates an object and returns it as answered. */
  async make(kind: string, namespace: string, metadata: object, body?: object): Promise<TestJson> {
    return expect(201, await this.post(this.path(kind, namespace), this.object(kind, metadata, body)));
  }

  get(pathname: string, headers?: Readonly<Record<string, string>>): Promise<TestAnswer> {
    return this.server.request('GET', pathname, undefined, headers);
  }

  post(pathname: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<TestAnswer> {
    return this.server.request('POST', pathname, body, headers);
  }

  put(pathname: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<TestAnswer> {
    return this.server.request('PUT', pathname, body, headers);
  }

  patch(form: PatchForm, pathname: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<TestAnswer> {
    return this.server.patch(form, pathname, body, headers);
  }

  delete(pathname: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestAnswer> {
    return this.server.request('DELETE', pathname, body, headers);
  }

  watch(pathname: string, headers?: Readonly<Record<string, string>>): Promise<TestWatch> {
    return this.server.watch(pathname, headers);
  }

  /** The newest version in the store: that of a list nobody else writes to. */
  async latest(kind = 'ConfigMap'): Promise<string> {
    return expect(200, await this.get(`${this.path(kind, '')}?limit=1`)).metadata.resourceVersion as string;
  }
}

/** The body of an answer with this code; otherwise fails showing what came instead. */
export function expect(status: number, answer: TestAnswer): TestJson {
  assert.equal(answer.status, status, `expected ${status}, got ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer.body;
}

/** A failure with this code and reason, if it has one; its Status. */
export function expectFailure(code: number, reason: string | undefined, answer: TestAnswer): TestJson {
  const status = expect(code, answer);
  assert.deepEqual([status.kind, status.apiVersion, status.status, status.code, status.reason], ['Status', 'v1', 'Failure', code, reason], answer.text);
  return status;
}

/** The fields an Invalid answer complains about, sorted; each once. */
export const causesOf = (status: TestJson): readonly string[] =>
  [...new Set<string>((status.details?.causes ?? []).map((cause: TestJson) => `${cause.reason} ${cause.field}`))].sort();
