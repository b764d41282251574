import { setImmediate, steady, type Clock } from '#base';
import type { Identified } from '#request';
import type { FlowClass, RejectReason } from './flow-class.ts';
import { FlowClasses } from './flow-classes.ts';
import type { FlowQueue, Waiter } from './flow-queue.ts';
import type { PriorityLevel } from './priority-level.ts';
import { Turnstile, type InNextTurn } from './turnstile.ts';
import { seatsOf, type CountObjects } from './width.ts';

/** How much runs at once, and by whose time. */
export interface FlowControlOptions {
  /** Requests that run at once, of all levels together. */
  readonly totalSeats: number;
  /** How long a request waits at most. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly inNextTurn?: InNextTurn;
  /** Absent: nobody knows. */
  readonly countObjects?: CountObjects;
}

/** A request that may run. To be ended when it is answered. */
export interface Pass {
  readonly flowClass: FlowClass;
  readonly seats: number;
  /** Where it waited, and since when it has run. Absent: it did not wait. */
  readonly queue?: FlowQueue;
  readonly startedAtMs?: number;
}

/** Sorts requests into classes and lets them run as far as their priority level allows. @spec 8 */
export class FlowControl {
  readonly classes: FlowClasses;
  readonly #options: FlowControlOptions;
  readonly #turnstile: Turnstile;
  readonly #countObjects: CountObjects;

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.classes = new FlowClasses(options.totalSeats);
    this.#turnstile = new Turnstile(options.inNextTurn ?? ((run) => void setImmediate(run)));
    this.#countObjects = options.countObjects ?? (() => undefined);
  }

  /** At once a pass or why there is none; a promise only where the request has to wait. */
  enter(request: Identified, flowClass: FlowClass): Pass | RejectReason | Promise<Pass | RejectReason> {
    const { level, counts } = flowClass;
    const seats = seatsOf(request, this.#countObjects);
    if (this.#turnstile.tryEnter(level, seats)) {
      counts.dispatched++;
      return { flowClass, seats };
    }
    if (level.config.queuing === undefined) return this.#enterOrRefuse(flowClass, seats);
    return this.#wait(request, flowClass, seats);
  }

  /** The request is answered. */
  leave({ flowClass: { level }, seats, queue, startedAtMs }: Pass): void {
    if (queue === undefined || startedAtMs === undefined) level.release(seats);
    else level.releaseFrom(queue, seats, steady(this.#options.clock).nowMs() - startedAtMs);
    this.#left(level);
  }

  /** A request is no longer in a level: it was answered, or does not wait any more. */
  #left(level: PriorityLevel): void {
    this.classes.left(level);
    this.#turnstile.freed(level);
  }

  /** A level without queues cannot put anything off to another turn. */
  #enterOrRefuse(flowClass: FlowClass, seats: number): Pass | RejectReason {
    const { level, counts } = flowClass;
    if (!level.hasRoom(seats)) return refused(flowClass, 'concurrency-limit');
    level.take(seats);
    counts.dispatched++;
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
      start: (queue) => {
        counts.dispatched++;
        settle({ flowClass, seats, queue, startedAtMs: steady(clock).nowMs() });
      },
    };
    if (!level.enqueue(waiter)) return refused(flowClass, 'queue-full');
    this.#turnstile.wait(level);
    return new Promise((resolve) => {
      const giveUp = (reason: RejectReason) => (): void => {
        if (!level.leaveQueue(waiter)) return;
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
