import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
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
  /** How often the writing process was killed, for those who want to know that it happened. */
  killedWriters = 0;

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
    const writer = pids.find((pid) => isOwner(pid, join(this.#folder, 'store')));
    const pid = writer !== undefined && random.oneIn(2) ? writer : random.pick(pids);
    if (random.oneIn(4)) {
      process.kill(pid, 'SIGSTOP');
      await pause(random.int(MAX_STOPPED_MS));
      process.kill(pid, 'SIGCONT');
      return;
    }
    if (pid === writer) this.killedWriters++;
    process.kill(pid, 'SIGKILL');
  }

  async close(): Promise<void> {
    await this.#server.stop('SIGTERM');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Those that were killed are replaced. */
  async #allThere(): Promise<readonly number[]> {
    for (;;) {
      const pids = childrenOf(this.#server.pid);
      if (pids.length === this.#workers) return pids;
      await pause(POLL_MS);
    }
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Whether a process listens on the socket by which the owner of a store shows that it lives. */
function isOwner(pid: number, store: string): boolean {
  const signs = readdirSync(store).filter((name) => name.startsWith('owner-'));
  const sockets = new Set<string>();
  for (const line of readFileSync('/proc/net/unix', 'utf8').split('\n')) {
    const [, , , , , , inode, path = ''] = line.trim().split(/\s+/);
    if (signs.some((name) => path.endsWith(`/${name}`))) sockets.add(`socket:[${inode}]`);
  }
  return openFilesOf(pid).some((file) => sockets.has(file));
}

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return readlinkSync(join(folder, fd));
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}
