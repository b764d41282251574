import { PrettyJson } from '#base';
import type { GeneratedDocument } from './generated-document.ts';
import type { Turns } from './turns.ts';

/** Shorter pieces are indented together: each alone would keep several times its length in memory until it is sent. */
const TOGETHER_BYTES = 16_384;
/** Indenting this many bytes takes about as long as encoding an item. */
const BYTES_LIKE_AN_ITEM = 128;

/** The same JSON, indented. No piece ends within a literal, a number or a string. Rejects as `turns` and `document` do. */
export async function* prettyPieces(document: GeneratedDocument | Iterable<readonly Uint8Array[]>, turns: Turns): GeneratedDocument {
  const json = new PrettyJson();
  let indented: Uint8Array[] = [];
  let together: Uint8Array[] = [];
  let bytes = 0;
  for await (const pieces of document) {
    for (const piece of pieces) {
      together.push(piece);
      bytes += piece.length;
      if (bytes < TOGETHER_BYTES) continue;
      indented.push(json.next(Buffer.concat(together, bytes)));
      const due = turns.after(Math.ceil(bytes / BYTES_LIKE_AN_ITEM));
      together = [];
      bytes = 0;
      if (due === undefined) continue;
      await due;
      yield indented;
      indented = [];
      if (turns.isUsedUp) await turns.next();
    }
  }
  if (bytes > 0) indented.push(json.next(Buffer.concat(together, bytes)));
  yield indented;
}
