import type { Reply } from './context.ts';

export type Next<C> = (context: C) => Promise<Reply>;

/** One step of the way. Its type says what it needs and what it adds. */
export type Stage<In, Out extends In = In> = (context: In, next: Next<Out>) => Promise<Reply>;

/** Stages in reading order: the first argument runs first. */
export function chain<In, Out extends In>(first: Stage<In, Out>): Chain<In, Out> {
  return new Chain(first);
}

/** A list of stages whose types fit together; a stage that reads what no earlier stage added does not compile. */
export class Chain<In, Now extends In> {
  readonly #run: Stage<In, Now>;

  constructor(run: Stage<In, Now>) {
    this.#run = run;
  }

  /** Adds a stage behind the others. */
  through<Out extends Now>(stage: Stage<Now, Out>): Chain<In, Out> {
    const before = this.#run;
    return new Chain<In, Out>((context, next) => before(context, (now) => stage(now, next)));
  }

  /** Closes the list with what answers. */
  end(last: Next<Now>): Next<In> {
    return (context) => this.#run(context, last);
  }
}
