import { FlowQueue, type Waiter } from './flow-queue.ts';
import type { LevelConfig } from './level-config.ts';
import { dealHand } from './shuffle.ts';

/** The assumed duration of a request, charged per seat until the real one is known. */
const ESTIMATE_MS = 1;
/** Queues are created on first use; beyond this number, empty ones are removed. */
const MANY_QUEUES = 1024;

/**
 * A priority level: its seats, and the queues of requests that wait for one.
 *
 * Fair queuing by virtual time: each queue has a virtual start time that advances by what its requests use (seats times milliseconds), and the queue
 * that is due first is served next. A queue that was empty is due slightly in the past, so that an occasional request comes before the queues that a
 * busy flow has filled; an idle queue accumulates no more credit than that.
 */
export class PriorityLevel {
  readonly name: string;
  /** The uid shown in response headers; empty where the object does not exist. */
  uid = '';
  config: LevelConfig;
  /** Its concurrency limit, in seats. */
  seatLimit = 1;
  seatsInUse = 0;
  running = 0;
  waiting = 0;
  /** Its object is deleted: the level is removed with its last request. */
  isQuiescing = false;
  /** Its virtual time among the levels; see `Turnstile`. */
  dueAt = 0;
  readonly #queues = new Map<number, FlowQueue>();
  #virtualMs = 0;

  constructor(name: string, config: LevelConfig) {
    this.name = name;
    this.config = config;
  }

  /** In order of creation. Queues that were never used do not exist. */
  get queues(): Iterable<FlowQueue> {
    return this.#queues.values();
  }

  /** No request runs or waits. */
  get isEmpty(): boolean {
    return this.running === 0 && this.waiting === 0;
  }

  /** A request wider than the level runs alone. */
  hasRoom(seats: number): boolean {
    return this.seatsInUse === 0 || this.seatsInUse + seats <= this.seatLimit;
  }

  /** Queues a request in the shortest queue of its flow, which is returned; undefined: that queue is full. */
  enqueue(waiter: Waiter): FlowQueue | undefined {
    const { queuing } = this.config;
    if (queuing === undefined) return undefined;
    const hand = dealHand(`${waiter.schemaName}\0${waiter.distinguisher}`, queuing.queues, queuing.handSize);
    // Before a queue is chosen: what waits in one that is no longer known is lost.
    if (this.#queues.size >= MANY_QUEUES) this.#dropIdleQueues();
    const queue = this.#emptiest(hand);
    // Requests for which seats are free only wait for the next turn: they do not count against the queue length.
    const seated = Math.max(0, this.seatLimit - this.seatsInUse);
    if (queue.waiting.length >= queuing.queueLengthLimit + seated) return undefined;
    if (queue.waiting.length === 0) queue.dueAt = Math.max(queue.dueAt, this.#virtualMs - queuing.handSize * ESTIMATE_MS);
    queue.waiting.push(waiter);
    queue.waitingSeats += waiter.seats;
    this.waiting++;
    return queue;
  }

  /** The queue whose first request is next, if there is room for it. No other request overtakes it, so that wide requests are not starved. */
  next(): FlowQueue | undefined {
    if (this.waiting === 0) return undefined;
    let first: FlowQueue | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.waiting.length > 0 && (first === undefined || queue.dueAt < first.dueAt)) first = queue;
    }
    return first?.waiting[0] !== undefined && this.hasRoom(first.waiting[0].seats) ? first : undefined;
  }

  /** Dequeues the first request of a queue, and takes its seats. */
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

  /** Removes a request from the queue that it waits in. */
  leaveQueue(queue: FlowQueue, waiter: Waiter): void {
    queue.waiting.splice(queue.waiting.indexOf(waiter), 1);
    queue.waitingSeats -= waiter.seats;
    this.waiting--;
  }

  take(seats: number): void {
    this.seatsInUse += seats;
    this.running++;
  }

  release(seats: number): void {
    this.seatsInUse -= seats;
    this.running--;
  }

  /** Releases the seats of a queued request that has ended. */
  releaseFrom(queue: FlowQueue, seats: number, ranMs: number): void {
    queue.running--;
    queue.seatsInUse -= seats;
    queue.dueAt += seats * Math.max(0, ranMs - ESTIMATE_MS);
    this.release(seats);
  }

  /** The queue with the least work; of several the one that is due first, so that a flow gets the share of all its queues. */
  #emptiest(hand: readonly number[]): FlowQueue {
    let best: FlowQueue | undefined;
    for (const index of hand) {
      const queue = this.#queueAt(index);
      if (best === undefined || loadOf(queue) < loadOf(best) || (loadOf(queue) === loadOf(best) && queue.dueAt < best.dueAt)) best = queue;
    }
    return best ?? this.#queueAt(0);
  }

  #dropIdleQueues(): void {
    for (const queue of this.#queues.values()) if (queue.isIdle) this.#queues.delete(queue.index);
  }

  #queueAt(index: number): FlowQueue {
    const known = this.#queues.get(index);
    if (known !== undefined) return known;
    const queue = new FlowQueue(index);
    this.#queues.set(index, queue);
    return queue;
  }
}

const loadOf = ({ waitingSeats, seatsInUse }: FlowQueue): number => waitingSeats + seatsInUse;
