import type { Reply } from './context.ts';

/** What comes behind a stage. Rejects with what is thrown further in. */
export type Next<C> = (context: C) => Promise<Reply>;

/** One step of the way. Its type says what it needs and what it adds. */
export type Stage<In, Out extends In = In> = (context: In, next: Next<Out>) => Promise<Reply>;

/** Stages in reading order: the first argument runs first. */
export function chain<In, Out extends In>(first: Stage<In, Out>): Chain<In, Out> {
  return new Chain((next) => (context) => first(context, next));
}

/** A list of stages whose types fit together; a stage that reads what no earlier stage added does not compile. */
export class Chain<In, Now extends In> {
  /** Ties the stages together, once: nothing is made for a single request. */
  readonly #close: (next: Next<Now>) => Next<In>;

  constructor(close: (next: Next<Now>) => Next<In>) {
    this.#close = close;
  }

  /** Adds a stage behind the others. */
  through<Out extends Now>(stage: Stage<Now, Out>): Chain<In, Out> {
    return new Chain<In, Out>((next) => this.#close((now) => stage(now, next)));
  }

  /** Closes the list with what answers. */
  end(last: Next<Now>): Next<In> {
    return this.#close(last);
  }
}
