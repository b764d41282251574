import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerOn, type RunningServer } from '#server';
import { openEngine, type Engine } from '#storage';
import { TurnedClock } from '#testing';
import type { Recorder } from './history.ts';
import type { World } from './play.ts';
import type { Random } from './random.ts';

/** Tests put a broken one in front of the real one. */
export type Wrap = (engine: Engine) => Engine;

const DAY_SECONDS = 86_400;
const TOKENS = 'admintoken,admin,u-admin,"system:masters"\n';

/** Servers in this process on one store, behind real sockets. */
export class ServersWorld implements World {
  readonly #store: string;
  readonly #wrap: Wrap;
  readonly #canRestart: boolean;
  readonly #servers: { engine: Engine; server: RunningServer; clock: TurnedClock; url: string }[] = [];
  readonly #onClose: () => void;

  private constructor(store: string, wrap: Wrap, onClose: () => void) {
    this.#store = store;
    this.#wrap = wrap;
    this.#canRestart = !store.startsWith('memory');
    this.#onClose = onClose;
  }

  static inMemory(wrap: Wrap = (engine) => engine): Promise<ServersWorld> {
    return ServersWorld.start('memory://', 1, wrap);
  }

  static onLmdb(wrap: Wrap = (engine) => engine): Promise<ServersWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'orch-model-'));
    return ServersWorld.start(`lmdb://${folder}`, 1, wrap, () => rmSync(folder, { recursive: true, force: true }));
  }

  static async start(store: string, count: number, wrap: Wrap = (engine) => engine, onClose: () => void = () => {}): Promise<ServersWorld> {
    const world = new ServersWorld(store, wrap, onClose);
    for (let i = 0; i < count; i++) world.#servers.push(await world.#open());
    return world;
  }

  url(client: number): string {
    return this.#servers[client % this.#servers.length]!.url;
  }

  async disturb(random: Random, recorder: Recorder): Promise<void> {
    const number = random.int(this.#servers.length);
    const dice = random.int(5);
    if (dice < 2) return this.minute(number);
    if (dice < 4) return this.#compact(number, random, recorder);
    if (this.#canRestart) await this.#restart(number);
  }

  /** Time for bookmarks. */
  minute(number: number): Promise<void> {
    this.#servers[number]!.clock.advance('61s');
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ server }) => server.close()));
    this.#onClose();
  }

  async #compact(number: number, random: Random, recorder: Recorder): Promise<void> {
    const { engine } = this.#servers[number]!;
    const before = Math.max(1, Math.min((await engine.head()) - random.int(20), recorder.seenTo));
    recorder.compactions.push({ before, start: recorder.now() });
    await engine.compact(before);
  }

  async #restart(number: number): Promise<void> {
    await this.#servers[number]!.server.close();
    this.#servers[number] = await this.#open();
  }

  async #open(): Promise<{ engine: Engine; server: RunningServer; clock: TurnedClock; url: string }> {
    const clock = new TurnedClock();
    const engine = this.#wrap(await openEngine(this.#store, { historySeconds: DAY_SECONDS, clock }));
    const server = await startServerOn(engine, { store: this.#store, controllers: 'none', aggregateRoles: false, tokens: TOKENS, clock, shutdownGraceMs: 0 });
    return { engine, server, clock, url: server.url ?? '' };
  }
}
