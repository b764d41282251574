import type { Reply } from './context.ts';

/** The rest of the chain behind a stage. Rejects with what later stages throw. */
export type Next<C> = (context: C) => Promise<Reply>;

/** One stage of the handler chain. Its type says which context it needs and what it adds. */
export type Stage<In, Out extends In = In> = (context: In, next: Next<Out>) => Promise<Reply>;

/** Begins a chain of stages; the first one added runs first. */
export function chain<In, Out extends In>(first: Stage<In, Out>): Chain<In, Out> {
  return new Chain((next) => (context) => first(context, next));
}

/** Stages whose types fit together; a stage that reads what no earlier stage added does not compile. */
export class Chain<In, Now extends In> {
  /** Composes the stages, once per server: nothing is created per request. */
  readonly #close: (next: Next<Now>) => Next<In>;

  constructor(close: (next: Next<Now>) => Next<In>) {
    this.#close = close;
  }

  /** Adds a stage behind the others. */
  through<Out extends Now>(stage: Stage<Now, Out>): Chain<In, Out> {
    return new Chain<In, Out>((next) => this.#close((now) => stage(now, next)));
  }

  /** Ends the chain with the handler that answers. */
  end(last: Next<Now>): Next<In> {
    return this.#close(last);
  }
}
