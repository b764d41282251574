import { clearTimeout, setTimeout } from '#base';

/**
 * Closes a connection that has had no open request for the idle timeout. A connection without traffic is not idle: a watch may send nothing for a
 * long time. Node's own timeouts restart with every request or frame, which costs more than reading the clock when a request ends.
 */
export class IdleTime {
  readonly #timeoutMs: number;
  readonly #close: () => void;
  #open = 0;
  #idleSinceMs = performance.now();
  #timer: NodeJS.Timeout;

  /** The connection is idle from now on. `close` is called again after as long where it has left the connection open. */
  constructor(timeoutMs: number, close: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#close = close;
    this.#timer = this.#checkAfter(timeoutMs);
  }

  /** No request is open. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  requestOpened(): void {
    this.#open += 1;
  }

  requestClosed(): void {
    this.#open -= 1;
    if (this.isIdle) this.#idleSinceMs = performance.now();
  }

  /** The connection is closed. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #checkAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#check(), ms).unref();
  }

  #check(): void {
    const leftMs = this.isIdle ? this.#idleSinceMs + this.#timeoutMs - performance.now() : this.#timeoutMs;
    this.#timer = this.#checkAfter(leftMs > 0 ? Math.ceil(leftMs) : this.#timeoutMs);
    if (leftMs <= 0) this.#close();
  }
}
