import { setImmediate } from './real-timers.ts';

/** The number of turns of the event loop until `work` is done: for tests of work that must yield to the event loop. */
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
