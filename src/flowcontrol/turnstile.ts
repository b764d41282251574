import type { FlowQueue } from './flow-queue.ts';
import type { PriorityLevel } from './priority-level.ts';

/** Runs a callback in the next turn of the event loop, after that turn has read its sockets. */
export type InNextTurn = (run: () => void) => void;

/**
 * Starts requests: a bounded number in each turn of the event loop, over all levels.
 *
 * One thread does the work, and most requests complete in the turn they begin in: seats alone would never limit any client, and a client with a
 * hundred connections would get a hundred requests done before the next client's first one is read. So requests that arrive while another one runs in
 * this turn wait for a later turn, and are chosen fairly then: among levels by their shares, within a level by flow.
 */
export class Turnstile {
  readonly #inNextTurn: InNextTurn;
  readonly #arrange: () => void;
  readonly #waiting = new Set<PriorityLevel>();
  /** A request has begun in this turn. */
  #isTaken = false;
  #isArmed = false;
  #virtual = 0;

  /** `arrange` gives the levels their seats; it is called before requests are chosen. */
  constructor(inNextTurn: InNextTurn, arrange: () => void) {
    this.#inNextTurn = inNextTurn;
    this.#arrange = arrange;
  }

  /** Returns whether a request may run at once, and takes its seats then. */
  tryEnter(level: PriorityLevel, seats: number): boolean {
    if (this.#isTaken || this.#waiting.size > 0 || !level.hasRoom(seats)) return false;
    this.#isTaken = true;
    this.#arm();
    level.take(seats);
    return true;
  }

  /** Called when a request was queued in a level. */
  wait(level: PriorityLevel): void {
    if (!this.#waiting.has(level)) {
      this.#waiting.add(level);
      level.dueAt = Math.max(level.dueAt, this.#virtual);
    }
    this.#arm();
  }

  /** Called when seats of a level became free, or a queued request left: another may fit in. */
  freed(level: PriorityLevel): void {
    if (level.waiting > 0) this.#arm();
  }

  /** Called when levels may have more seats than before: queued requests may fit in. */
  rearranged(): void {
    if (this.#waiting.size > 0) this.#arm();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#inNextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isArmed = false;
    this.#isTaken = false;
    this.#arrange();
    const found = this.#choose();
    if (found === undefined) return;
    this.#isTaken = true;
    this.#arm();
    const { level, queue } = found;
    const waiter = level.startFirst(queue);
    this.#virtual = Math.max(this.#virtual, level.dueAt);
    level.dueAt += (waiter?.seats ?? 0) / level.config.shares;
    waiter?.start(queue);
  };

  #choose(): { readonly level: PriorityLevel; readonly queue: FlowQueue } | undefined {
    let best: { readonly level: PriorityLevel; readonly queue: FlowQueue } | undefined;
    for (const level of this.#waiting) {
      if (level.waiting === 0) {
        this.#waiting.delete(level);
        continue;
      }
      if (best !== undefined && level.dueAt >= best.level.dueAt) continue;
      const queue = level.next();
      if (queue !== undefined) best = { level, queue };
    }
    return best;
  }
}
