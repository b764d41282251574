/** A request that waits for its turn. */
export interface Waiter {
  readonly schemaName: string;
  /** What divides the requests of a schema: the user, the namespace, or nothing. */
  readonly distinguisher: string;
  readonly seats: number;
  readonly arrivedAtMs: number;
  /** For those who look at the queues. */
  readonly details: WaiterDetails;
  /** Called once, when it may run. */
  readonly start: (queue: FlowQueue) => void;
}

export interface WaiterDetails {
  readonly userName: string;
  readonly verb: string;
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
}

/** Some flows of a level. Its requests run in the order of their arrival. */
export class FlowQueue {
  readonly index: number;
  readonly waiting: Waiter[] = [];
  /** Virtual time, in milliseconds of one seat, at which its first request is due. What it has used lies behind it. */
  dueAt = 0;
  running = 0;
  seatsInUse = 0;
  waitingSeats = 0;

  constructor(index: number) {
    this.index = index;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }
}
