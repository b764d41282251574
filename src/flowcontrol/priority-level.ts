import { FlowQueue, type Waiter } from './flow-queue.ts';
import type { LevelConfig } from './level-config.ts';
import { dealHand } from './shuffle.ts';

/** What a request is charged before anyone knows how long it runs, for each of its seats. */
const ESTIMATE_MS = 1;
/** Queues are made when they are used; beyond so many, those that nobody is in are dropped. */
const MANY_QUEUES = 1024;

/**
 * A priority level: so many seats, and the queues of those that wait for one.
 *
 * Fair by virtual time: each queue is due at a moment that moves on with what its requests use (seats times milliseconds), and the queue
 * that is due first is next. A queue that was empty is due a moment ago, so that somebody who asks now and then comes before each of the
 * queues that a flow with many requests has filled; more than that moment nobody saves up.
 */
export class PriorityLevel {
  readonly name: string;
  /** In answers; empty where the object does not exist. */
  uid = '';
  config: LevelConfig;
  /** Of all levels together it may use so many. */
  seatLimit = 1;
  seatsInUse = 0;
  running = 0;
  waiting = 0;
  /** Its object is gone: it ends when nobody is left in it. */
  isQuiescing = false;
  /** When it is due among the levels; see `Turnstile`. */
  dueAt = 0;
  readonly #queues = new Map<number, FlowQueue>();
  #virtualMs = 0;

  constructor(name: string, config: LevelConfig) {
    this.name = name;
    this.config = config;
  }

  /** In the order they were made. Those never used do not exist. */
  get queues(): Iterable<FlowQueue> {
    return this.#queues.values();
  }

  /** No request runs in it, and none waits. */
  get isEmpty(): boolean {
    return this.running === 0 && this.waiting === 0;
  }

  /** What is wider than the level runs alone. */
  hasRoom(seats: number): boolean {
    return this.seatsInUse === 0 || this.seatsInUse + seats <= this.seatLimit;
  }

  /** Puts a request into the emptiest queue of its flow; `false`: that one is full. */
  enqueue(waiter: Waiter): boolean {
    const { queuing } = this.config;
    if (queuing === undefined) return false;
    const hand = dealHand(`${waiter.schemaName}\0${waiter.distinguisher}`, queuing.queues, queuing.handSize);
    const queue = this.#emptiest(hand);
    // Those for whom there are seats wait for their turn alone: they fill no queue.
    const seated = Math.max(0, this.seatLimit - this.seatsInUse);
    if (queue.waiting.length >= queuing.queueLengthLimit + seated) return false;
    if (queue.waiting.length === 0) queue.dueAt = Math.max(queue.dueAt, this.#virtualMs - queuing.handSize * ESTIMATE_MS);
    queue.waiting.push(waiter);
    queue.waitingSeats += waiter.seats;
    this.waiting++;
    return true;
  }

  /** The queue whose request is next, if there is room for it. Nobody overtakes it, so that wide requests come to their turn. */
  next(): FlowQueue | undefined {
    if (this.waiting === 0) return undefined;
    let first: FlowQueue | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.waiting.length > 0 && (first === undefined || queue.dueAt < first.dueAt)) first = queue;
    }
    return first?.waiting[0] !== undefined && this.hasRoom(first.waiting[0].seats) ? first : undefined;
  }

  /** Takes the first of a queue out of it, and seats for it. */
  startFirst(queue: FlowQueue): Waiter | undefined {
    const waiter = queue.waiting.shift();
    if (waiter === undefined) return undefined;
    this.waiting--;
    queue.waitingSeats -= waiter.seats;
    queue.running++;
    queue.seatsInUse += waiter.seats;
    this.#virtualMs = Math.max(this.#virtualMs, queue.dueAt);
    queue.dueAt += waiter.seats * ESTIMATE_MS;
    this.take(waiter.seats);
    return waiter;
  }

  /** It does not want to wait any more. `false`: it does not wait. */
  leaveQueue(waiter: Waiter): boolean {
    for (const queue of this.#queues.values()) {
      const at = queue.waiting.indexOf(waiter);
      if (at < 0) continue;
      queue.waiting.splice(at, 1);
      queue.waitingSeats -= waiter.seats;
      this.waiting--;
      return true;
    }
    return false;
  }

  take(seats: number): void {
    this.seatsInUse += seats;
    this.running++;
  }

  release(seats: number): void {
    this.seatsInUse -= seats;
    this.running--;
  }

  /** A request that had waited is done. */
  releaseFrom(queue: FlowQueue, seats: number, ranMs: number): void {
    queue.running--;
    queue.seatsInUse -= seats;
    queue.dueAt += seats * Math.max(0, ranMs - ESTIMATE_MS);
    this.release(seats);
  }

  /** The one with the least to do; of several the one that is due first, so that a flow gets the share of all its queues. */
  #emptiest(hand: readonly number[]): FlowQueue {
    let best: FlowQueue | undefined;
    for (const index of hand) {
      const queue = this.#queueAt(index);
      if (best === undefined || loadOf(queue) < loadOf(best) || (loadOf(queue) === loadOf(best) && queue.dueAt < best.dueAt)) best = queue;
    }
    return best ?? this.#queueAt(0);
  }

  #queueAt(index: number): FlowQueue {
    const known = this.#queues.get(index);
    if (known !== undefined) return known;
    if (this.#queues.size >= MANY_QUEUES) for (const queue of this.#queues.values()) if (queue.isIdle) this.#queues.delete(queue.index);
    const queue = new FlowQueue(index);
    this.#queues.set(index, queue);
    return queue;
  }
}

const loadOf = ({ waitingSeats, seatsInUse }: FlowQueue): number => waitingSeats + seatsInUse;
