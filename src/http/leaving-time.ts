let answers = 0;
let wasBusy = false;
let end: Promise<void> | undefined;

/**
 * When an answer that is ready now should leave: `undefined` means at once, for a client that comes alone; where one turn of the event loop
 * has several answers they leave at its end, when every request that had arrived by then was looked at. Answers that leave together wake a
 * client once: sent one by one, each would find it asleep again, and on a loaded server waking costs the system more than answering.
 */
export function leavingTime(): Promise<void> | undefined {
  answers += 1;
  if (answers === 1) {
    setImmediate(endTurn);
    if (!wasBusy) return undefined;
  }
  return (end ??= new Promise((resolve) => setImmediate(resolve)));
}

function endTurn(): void {
  wasBusy = answers > 1;
  answers = 0;
  end = undefined;
}
