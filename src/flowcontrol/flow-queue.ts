/** A queued request. */
export interface Waiter {
  readonly schemaName: string;
  /** The flow distinguisher: the user, the namespace, or empty. */
  readonly distinguisher: string;
  readonly seats: number;
  readonly arrivedAtMs: number;
  /** For the debug endpoints. */
  readonly details: WaiterDetails;
  /** Called once, when the request may run. */
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

/** A queue of a priority level, shared by some flows. First in, first out. */
export class FlowQueue {
  readonly index: number;
  readonly waiting: Waiter[] = [];
  /** Virtual start time of its first request, in milliseconds of one seat; it advances by what its requests use. */
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
