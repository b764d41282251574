import { setImmediate } from './real-timers.ts';

/** How many turns of the event loop pass until `work` is done: for tests of what must leave turns to others. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}
