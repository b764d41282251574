import type { Parts } from '#codec';
import type { Reply, ReplyHeaders } from '#request';
import type { Turns } from './turns.ts';

/**
 * Longer documents are streamed while they are made: each response then needs about this much memory, however many clients read at a time, and
 * however slowly.
 */
const WHOLE_BYTES = 1024 * 1024;

/** A run of pieces that reaches this length is sent before more is made. */
const RUN_BYTES = 256 * 1024;

/** A document made for one response alone, over as many turns of the event loop as it takes: no run of pieces is made in more than one turn. */
export type GeneratedDocument = AsyncGenerator<readonly Uint8Array[], void>;

/** Makes a document of these items. Rejects like the promises of `turns`, when the request is aborted. */
export async function* generateDocument<T, P>(document: Parts<P>, items: readonly T[], turns: Turns, partOf: (item: T) => P): GeneratedDocument {
  let run: Uint8Array[] = [];
  let bytes = 0;
  if (turns.isUsedUp) await turns.next();
  for (const item of items) {
    document.add(partOf(item));
    for (const piece of document.take()) {
      run.push(piece);
      bytes += piece.length;
    }
    const due = turns.after(1);
    if (due === undefined && bytes < RUN_BYTES) continue;
    // Awaited before the yield: a consumer that stops there would leave the rejection of `due` unhandled.
    await due;
    yield run;
    run = [];
    bytes = 0;
    if (turns.isUsedUp) await turns.next();
  }
  yield [...run, ...document.end()];
}

/**
 * Replies with a document: a short one as a whole, one of more than `WHOLE_BYTES` as a stream. Rejects where making the document fails before that.
 */
export async function replyGenerated(status: number, headers: ReplyHeaders, document: GeneratedDocument): Promise<Reply> {
  const made: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { value, done } = await document.next();
    if (done === true) return { status, headers, body: made };
    for (const piece of value) bytes += piece.length;
    made.push(...value);
    if (bytes > WHOLE_BYTES) return { status, headers, pieces: resumed(made, document) };
  }
}

async function* resumed(made: readonly Uint8Array[], rest: GeneratedDocument): GeneratedDocument {
  yield made;
  yield* rest;
}
