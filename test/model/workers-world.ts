import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import type { World } from './play.ts';
import type { Random } from './random.ts';

/** Longer than a request takes, shorter than a client waits. */
const MAX_STOPPED_MS = 400;
const POLL_MS = 10;

export const WITHOUT_PROC = process.platform === 'linux' ? false : 'only Linux says which processes a process has started';

/** `orch serve --workers` on LMDB: one of its processes writes for all. That one is killed most often, others too, and some are stopped for a while. */
export class WorkersWorld implements World {
  readonly #server: ServerProcess;
  readonly #folder: string;
  readonly #workers: number;
  readonly #killed = new Set<number>();

  private constructor(server: ServerProcess, folder: string, workers: number) {
    this.#server = server;
    this.#folder = folder;
    this.#workers = workers;
  }

  static async start(workers: number): Promise<WorkersWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'orch-model-'));
    const server = await startServerProcess({ flags: [`--store=lmdb://${folder}/store`, '--controllers=none', `--workers=${workers}`] });
    return new WorkersWorld(server, folder, workers);
  }

  /** One address for all: whichever process accepts the connection answers. */
  url(): string {
    return this.#server.url;
  }

  async disturb(random: Random): Promise<void> {
    const pids = await this.#allThere();
    const named = writerOf(join(this.#folder, 'store'));
    const writer = pids.find((pid) => pid === named);
    const pid = writer !== undefined && random.oneIn(2) ? writer : random.pick(pids);
    if (random.oneIn(4)) {
      process.kill(pid, 'SIGSTOP');
      await pause(random.int(MAX_STOPPED_MS));
      process.kill(pid, 'SIGCONT');
      return;
    }
    this.#killed.add(pid);
    process.kill(pid, 'SIGKILL');
  }

  async close(): Promise<void> {
    await this.#server.stop('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Those that were killed are replaced; the system may name them for a moment. */
  async #allThere(): Promise<readonly number[]> {
    for (;;) {
      const pids = childrenOf(this.#server.pid).filter((pid) => !this.#killed.has(pid));
      if (pids.length === this.#workers) return pids;
      await pause(POLL_MS);
    }
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** The process that the store names as the one that writes. undefined: none does just now. */
function writerOf(store: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(join(store, 'owner.json'), 'utf8')) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}
