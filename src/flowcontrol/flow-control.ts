import { setImmediate, steady, type Clock } from '#base';
import type { Identified } from '#request';
import type { FlowClass, RejectReason } from './flow-class.ts';
import { FlowClasses } from './flow-classes.ts';
import type { FlowQueue, Waiter } from './flow-queue.ts';
import type { PriorityLevel } from './priority-level.ts';
import { Turnstile, type InNextTurn } from './turnstile.ts';
import { seatsOf, type CountObjects } from './width.ts';

/** Concurrency, queue wait and clock of flow control. */
export interface FlowControlOptions {
  /** Concurrency of all levels together. */
  readonly totalSeats: number;
  /** The longest time in a queue. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly inNextTurn?: InNextTurn;
  /** Absent: object counts are unknown. */
  readonly countObjects?: CountObjects;
}

/** The permission to run a request. To be returned by `leave` when the request is answered. */
export interface Pass {
  readonly flowClass: FlowClass;
  readonly seats: number;
  /** The queue it waited in. Absent: it did not wait. */
  readonly queue?: FlowQueue;
  readonly startedAtMs?: number;
}

/** Classifies requests and dispatches them within the concurrency of their priority level. @spec 8 */
export class FlowControl {
  readonly classes: FlowClasses;
  readonly #options: FlowControlOptions;
  readonly #turnstile: Turnstile;
  readonly #countObjects: CountObjects;

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.classes = new FlowClasses(options.totalSeats, () => this.#turnstile.rearranged());
    this.#turnstile = new Turnstile(options.inNextTurn ?? ((run) => void setImmediate(run)), () => this.classes.arrange());
    this.#countObjects = options.countObjects ?? (() => undefined);
  }

  /** Returns a pass or the reason for rejection; a promise only where the request has to queue. */
  enter(request: Identified, flowClass: FlowClass): Pass | RejectReason | Promise<Pass | RejectReason> {
    const { level } = flowClass;
    const seats = seatsOf(request, this.#countObjects);
    if (this.#turnstile.tryEnter(level, seats)) {
      started(flowClass, seats);
      return { flowClass, seats };
    }
    if (level.config.queuing === undefined) return this.#enterOrRefuse(flowClass, seats);
    return this.#wait(request, flowClass, seats);
  }

  /** Returns the pass of an answered request. */
  leave({ flowClass: { level, counts }, seats, queue, startedAtMs }: Pass): void {
    counts.running--;
    counts.seatsInUse -= seats;
    if (queue === undefined || startedAtMs === undefined) level.release(seats);
    else level.releaseFrom(queue, seats, steady(this.#options.clock).nowMs() - startedAtMs);
    this.#left(level);
  }

  /** A request has left a level: it was answered, or it left its queue. */
  #left(level: PriorityLevel): void {
    this.classes.left(level);
    this.#turnstile.freed(level);
  }

  /** A level without queues decides at once: it cannot defer a request to a later turn. */
  #enterOrRefuse(flowClass: FlowClass, seats: number): Pass | RejectReason {
    const { level } = flowClass;
    if (!level.hasRoom(seats)) return refused(flowClass, 'concurrency-limit');
    level.take(seats);
    started(flowClass, seats);
    return { flowClass, seats };
  }

  #wait(request: Identified, flowClass: FlowClass, seats: number): Promise<Pass | RejectReason> | RejectReason {
    const { clock, maxWaitMs } = this.#options;
    const { level, counts } = flowClass;
    if (request.signal.aborted) return refused(flowClass, 'cancelled');
    let settle: (outcome: Pass | RejectReason) => void = () => {};
    const waiter: Waiter = {
      schemaName: flowClass.schemaName,
      distinguisher: distinguisherOf(flowClass, request),
      seats,
      arrivedAtMs: clock.nowMs(),
      details: detailsOf(request),
      start: (from) => {
        counts.waiting--;
        started(flowClass, seats);
        settle({ flowClass, seats, queue: from, startedAtMs: steady(clock).nowMs() });
      },
    };
    const queue = level.enqueue(waiter);
    if (queue === undefined) return refused(flowClass, 'queue-full');
    counts.waiting++;
    this.#turnstile.wait(level);
    return new Promise((resolve) => {
      const giveUp = (reason: RejectReason) => (): void => {
        level.leaveQueue(queue, waiter);
        counts.waiting--;
        settle(refused(flowClass, reason));
        this.#left(level);
      };
      const onAbort = giveUp('cancelled');
      const cancelTimer = clock.after(maxWaitMs, giveUp('time-out'));
      settle = (outcome) => {
        cancelTimer();
        request.signal.removeEventListener('abort', onAbort);
        resolve(outcome);
      };
      request.signal.addEventListener('abort', onAbort);
    });
  }
}

function started({ counts }: FlowClass, seats: number): void {
  counts.dispatched++;
  counts.running++;
  counts.seatsInUse += seats;
}

function refused({ counts }: FlowClass, reason: RejectReason): RejectReason {
  counts.rejected[reason]++;
  return reason;
}

function distinguisherOf({ distinguish }: FlowClass, { info, user }: Identified): string {
  if (distinguish === undefined) return '';
  return distinguish === 'ByUser' ? user.name : info.namespace;
}

const detailsOf = ({ info, user }: Identified): Waiter['details'] => ({
  userName: user.name,
  verb: info.verb,
  path: info.path,
  namespace: info.namespace,
  name: info.name,
  version: info.version,
  resource: info.resource,
  subresource: info.subresource,
});
