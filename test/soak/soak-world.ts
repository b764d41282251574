import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../model/play.ts';
import type { Random } from '../model/random.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { Behaviour } from '../support/webhook-server.ts';
import { allowing } from '../support/webhook-server.ts';
import type { SmallDisk } from './small-disk.ts';
import type { SteppedClock } from './stepped-clock.ts';

const MAX_STOPPED_MS = 1_500;
const MAX_OUTAGE_MS = 1_000;
const MAX_FULL_MS = 700;
/** The server's history is longer than the longest step. */
const MAX_STEP_MS = 60_000;

/** One server that is stopped for a while, loses its webhook, has no room on its disk, or whose clock jumps. */
export class SoakWorld implements World {
  readonly #server: ServerProcess;
  readonly #disk: SmallDisk;
  readonly counts = { stopped: 0, outages: 0, full: 0, steps: 0 };
  readonly #clock: SteppedClock;
  #isWebhookOut = false;

  constructor(server: ServerProcess, disk: SmallDisk, clock: SteppedClock) {
    this.#server = server;
    this.#disk = disk;
    this.#clock = clock;
  }

  /** What the webhook does. */
  readonly answer: Behaviour = (heard, response) => {
    if (!this.#isWebhookOut) return allowing()(heard, response);
    response.destroy();
    return undefined;
  };

  url(): string {
    return this.#server.url;
  }

  async disturb(random: Random): Promise<void> {
    const dice = random.int(4);
    if (dice === 0) return this.#stop(random.int(MAX_STOPPED_MS));
    if (dice === 2) return this.#stepClock(random.int(2 * MAX_STEP_MS) - MAX_STEP_MS);
    if (dice === 1 || this.#disk.cannotFill !== undefined) return this.#loseWebhook(random.int(MAX_OUTAGE_MS));
    return this.#fillDisk(random.int(MAX_FULL_MS));
  }

  async #stop(ms: number): Promise<void> {
    this.counts.stopped++;
    process.kill(this.#server.pid, 'SIGSTOP');
    await pause(ms);
    process.kill(this.#server.pid, 'SIGCONT');
  }

  /** Forwards or backwards; it stays there until the next step. */
  async #stepClock(offsetMs: number): Promise<void> {
    this.counts.steps++;
    await this.#clock.step(this.#server.pid, offsetMs);
  }

  async #loseWebhook(ms: number): Promise<void> {
    this.counts.outages++;
    this.#isWebhookOut = true;
    await pause(ms);
    this.#isWebhookOut = false;
  }

  async #fillDisk(ms: number): Promise<void> {
    this.counts.full++;
    this.#disk.fill();
    await pause(ms);
    this.#disk.makeRoom();
  }
}
