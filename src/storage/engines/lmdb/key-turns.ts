import { deferred, systemClock, type Clock, type Deferred } from '#base';
import type { Key } from '../../entry.ts';
import { KEY_TURN_MS } from './limits.ts';

interface Turn {
  readonly process: object;
  readonly isOver: Deferred<void>;
  cancelTimer: () => void;
}

/**
 * Turns at keys that several processes contend for. The one that writes to the file knows each new state first, and would always be the first to
 * write the next; a process that was refused, and tries again, gets a turn in which the others wait.
 */
export class KeyTurns {
  readonly #clock: Clock;
  readonly #queues = new Map<Key, Turn[]>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  isContended(key: Key): boolean {
    return this.#queues.has(key);
  }

  /** Resolves when the present turn of another process ends; undefined: `process` may write now. */
  waitFor(key: Key, process: object): Promise<void> | undefined {
    const turn = this.#queues.get(key)?.[0];
    return turn === undefined || turn.process === process ? undefined : turn.isOver.promise;
  }

  /** `process` tries again: it has a turn behind those who asked before. A turn ends `KEY_TURN_MS` after it began or was asked for again. */
  ask(key: Key, process: object): void {
    const queue = this.#queues.get(key) ?? [];
    this.#queues.set(key, queue);
    let at = queue.findIndex((turn) => turn.process === process);
    if (at === -1) at = queue.push({ process, isOver: deferred(), cancelTimer: () => {} }) - 1;
    if (at === 0) this.#begin(key, queue[0]!);
  }

  /** `process` has written. */
  end(key: Key, process: object): void {
    const queue = this.#queues.get(key) ?? [];
    const at = queue.findIndex((turn) => turn.process === process);
    const [turn] = at === -1 ? [] : queue.splice(at, 1);
    if (turn === undefined) return;
    turn.cancelTimer();
    turn.isOver.resolve();
    const [next] = queue;
    if (next === undefined) this.#queues.delete(key);
    else if (at === 0) this.#begin(key, next);
  }

  #begin(key: Key, turn: Turn): void {
    turn.cancelTimer();
    turn.cancelTimer = this.#clock.after(KEY_TURN_MS, () => this.end(key, turn.process));
  }
}
