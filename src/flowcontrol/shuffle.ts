import { createHash } from 'node:crypto';

const CARDS_PER_DIGEST = 8;

/**
 * Shuffle sharding: deals a flow `handSize` different queues of `queues`, always the same ones. Two flows seldom share all of them, so that a flow
 * that fills its own queues leaves other flows some empty ones.
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

/** A cryptographic hash, so that a client cannot compute which flow names share another flow's queues. */
const digestOf = (flow: string, block: number): Buffer => createHash('sha256').update(`${block}\0${flow}`).digest();

/** The nth number, from 0 on, that is not taken. */
function nthFree(nth: number, taken: readonly number[]): number {
  let free = nth;
  for (const card of taken.toSorted((a, b) => a - b)) if (card <= free) free++;
  return free;
}
