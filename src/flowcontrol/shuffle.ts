import { createHash } from 'node:crypto';

const CARDS_PER_DIGEST = 8;

/**
 * The queues that a flow may wait in: `handSize` different ones of `queues`, the same ones every time. Two flows seldom share all of them,
 * so that a flow that fills its own queues leaves the others some that are empty.
 */
export function dealHand(flow: string, queues: number, handSize: number): readonly number[] {
  const size = Math.min(handSize, queues);
  const hand: number[] = [];
  let digest = digestOf(flow, 0);
  for (let at = 0; at < size; at++) {
    if (at > 0 && at % CARDS_PER_DIGEST === 0) digest = digestOf(flow, at);
    hand.push(nthFree(digest.readUInt32LE((at % CARDS_PER_DIGEST) * 4) % (queues - at), hand));
  }
  return hand;
}

/** Not guessable which names lead to the queues of somebody else, short of trying. */
const digestOf = (flow: string, block: number): Buffer => createHash('sha256').update(`${block}\0${flow}`).digest();

/** The nth number, from 0 on, of those that are not taken. */
function nthFree(nth: number, taken: readonly number[]): number {
  let free = nth;
  for (const card of taken.toSorted((a, b) => a - b)) if (card <= free) free++;
  return free;
}
