import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerOn, type RunningServer } from '#server';
import { openEngine, type Engine } from '#storage';
import { TurnedClock } from '#testing';
import { following } from './broken-engines.ts';
import type { Recorder } from './history.ts';
import type { World } from './play.ts';
import type { Random } from './random.ts';

/** Tests put a broken one in front of the real one. */
export type Wrap = (engine: Engine) => Engine;
/** Opens the store for a server that starts, and that closes it when it ends. */
type OpenStore = (clock: TurnedClock, store: string) => Promise<Engine>;

const DAY_SECONDS = 86_400;
const openFor: OpenStore = (clock, store) => openEngine(store, { historySeconds: DAY_SECONDS, clock });
const TOKENS = 'admintoken,admin,u-admin,"system:masters"\n';

/** Servers in this process on one store, behind real sockets. */
export class ServersWorld implements World {
  readonly #store: string;
  readonly #openStore: OpenStore;
  readonly #servers: { engine: Engine; server: RunningServer; clock: TurnedClock; url: string }[] = [];
  readonly #onClose: () => unknown;

  private constructor(store: string, openStore: OpenStore, onClose: () => unknown) {
    this.#store = store;
    this.#openStore = openStore;
    this.#onClose = onClose;
  }

  /** The memory outlives the servers on it, so that these can be started again. */
  static async inMemory(wrap: Wrap = (engine) => engine): Promise<ServersWorld> {
    const store = 'memory://';
    const engine = wrap(await openFor(new TurnedClock(), store));
    return ServersWorld.start(store, 1, async () => ({ ...following(engine, (feed) => feed), close: async () => {} }), () => engine.close());
  }

  static onLmdb(): Promise<ServersWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'orch-model-'));
    return ServersWorld.start(`lmdb://${folder}`, 1, openFor, () => rmSync(folder, { recursive: true, force: true }));
  }

  static async start(store: string, count: number, openStore: OpenStore = openFor, onClose: () => unknown = () => {}): Promise<ServersWorld> {
    const world = new ServersWorld(store, openStore, onClose);
    for (let i = 0; i < count; i++) world.#servers.push(await world.#open());
    return world;
  }

  url(client: number): string {
    return this.#servers[client % this.#servers.length]!.url;
  }

  async disturb(random: Random, recorder: Recorder): Promise<void> {
    const number = random.int(this.#servers.length);
    const dice = random.int(6);
    if (dice < 2) return this.minute(number);
    if (dice < 5) await this.#compact(number, random, recorder);
    // Both: a server that was there before remembers what the store has forgotten.
    if (dice > 3) await this.#restart(number);
  }

  /** Time for bookmarks. */
  minute(number: number): Promise<void> {
    this.#servers[number]!.clock.advance('61s');
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ server }) => server.close()));
    await this.#onClose();
  }

  async #compact(number: number, random: Random, recorder: Recorder): Promise<void> {
    const { engine } = this.#servers[number]!;
    const before = Math.max(1, recorder.seenTo - random.int(5));
    recorder.compactions.push({ before, start: recorder.now() });
    await engine.compact(before);
  }

  async #restart(number: number): Promise<void> {
    await this.#servers[number]!.server.close();
    this.#servers[number] = await this.#open();
  }

  async #open(): Promise<{ engine: Engine; server: RunningServer; clock: TurnedClock; url: string }> {
    const clock = new TurnedClock();
    const engine = await this.#openStore(clock, this.#store);
    const server = await startServerOn(engine, { store: this.#store, controllers: 'none', aggregateRoles: false, tokens: TOKENS, clock, shutdownGraceMs: 0 });
    return { engine, server, clock, url: server.url ?? '' };
  }
}
