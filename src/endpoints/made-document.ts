import type { Parts } from '#codec';
import type { Reply, ReplyHeaders } from '#request';
import type { Turns } from './turns.ts';

/** Longer documents are sent while they are made: however many ask for them at a time, and however slowly they read, each costs about as much. */
const WHOLE_BYTES = 1024 * 1024;

/** A run of pieces that is as long is sent before more is made. */
const RUN_BYTES = 256 * 1024;

/** A document that is made for one answer alone, in as many turns of the event loop as it takes: no run of pieces is of more than one turn. */
export type MadeDocument = AsyncGenerator<readonly Uint8Array[], void>;

/** A document with these parts. Rejects as `turns` do. */
export async function* madeOf<T, P>(document: Parts<P>, items: readonly T[], turns: Turns, partOf: (item: T) => P): MadeDocument {
  let run: Uint8Array[] = [];
  let bytes = 0;
  await turns.begin();
  for (const item of items) {
    document.add(partOf(item));
    for (const piece of document.take()) {
      run.push(piece);
      bytes += piece.length;
    }
    const due = turns.after(1);
    if (due === undefined && bytes < RUN_BYTES) continue;
    // Whoever stops listening between two runs never hears of a turn that fails.
    await due;
    yield run;
    run = [];
    bytes = 0;
    await turns.begin();
  }
  yield [...run, ...document.end()];
}

/** Answers with a document: a short one as a whole. Rejects where making so much of it does. */
export async function replyMade(status: number, headers: ReplyHeaders, document: MadeDocument): Promise<Reply> {
  const made: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { value, done } = await document.next();
    if (done === true) return { status, headers, body: made };
    for (const piece of value) bytes += piece.length;
    made.push(...value);
    if (bytes > WHOLE_BYTES) return { status, headers, pieces: goneOn(made, document) };
  }
}

async function* goneOn(made: readonly Uint8Array[], rest: MadeDocument): MadeDocument {
  yield made;
  yield* rest;
}
