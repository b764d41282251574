import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import type { World } from './play.ts';
import type { Random } from './random.ts';

/** Longer than a request takes, shorter than a client waits. */
const MAX_STOPPED_MS = 400;

/** `orch serve` in processes of their own on one store: they are killed and started again, and stopped for a while. */
export class ProcessWorld implements World {
  readonly #flags: readonly string[];
  readonly #servers: ServerProcess[];
  readonly #folder: string;

  private constructor(flags: readonly string[], servers: ServerProcess[], folder: string) {
    this.#flags = flags;
    this.#servers = servers;
    this.#folder = folder;
  }

  static async start(count: number, store?: string): Promise<ProcessWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'orch-model-'));
    const flags = [`--store=${store ?? `lmdb://${folder}/store`}`, '--controllers=none'];
    const servers = await Promise.all(Array.from({ length: count }, () => startServerProcess({ flags })));
    return new ProcessWorld(flags, servers, folder);
  }

  url(client: number): string {
    return this.#servers[client % this.#servers.length]!.url;
  }

  async disturb(random: Random): Promise<void> {
    const number = random.int(this.#servers.length);
    const server = this.#servers[number]!;
    if (random.oneIn(2)) {
      process.kill(server.pid, 'SIGSTOP');
      await pause(random.int(MAX_STOPPED_MS));
      process.kill(server.pid, 'SIGCONT');
      return;
    }
    await server.stop('SIGKILL');
    this.#servers[number] = await startServerProcess({ flags: this.#flags });
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop('SIGKILL')));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
