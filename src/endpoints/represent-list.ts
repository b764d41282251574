import { isTurnLong, nextTurn } from '#base';
import { pretty, type Codec, type ListEnvelope } from '#codec';
import type { Reply } from '#request';
import { encodeContinueToken, type Listing, type Stored } from '#registry';
import { checkForm } from './check-form.ts';
import { isJoined, joinedRun } from './joined-runs.ts';
import { codecOf, encodeStored, isPartialMetadata } from './encode-stored.ts';
import { tableReply } from './represent-table.ts';
import type { VerbContext } from './verb-context.ts';

/** A collection as the caller asked for it. @spec 2.3 */
export async function replyList(context: VerbContext, found: Listing): Promise<Reply> {
  const { route, accepted, env } = context;
  checkForm(context, true);
  const metadata = listMetadata(context, found);
  if (accepted.as === 'Table') return tableReply(context, 200, found.items, metadata);
  const codec = codecOf(context);
  const isPartial = isPartialMetadata(accepted);
  const envelope: ListEnvelope = {
    kind: isPartial ? 'PartialObjectMetadataList' : `${route.resource.kind.kind}List`,
    apiVersion: isPartial ? `${env.catalog.brand.group('meta')}/${accepted.asVersion ?? 'v1'}` : route.served.apiVersion,
    ...(route.resource.kind.isCustom === true && !isPartial ? { keepsItemKind: true, metadata: { ...metadata, continue: metadata.continue ?? '' } } : { metadata }),
  };
  const pieces = codec.list(envelope, await encodeListing(context, codec, envelope, found));
  const isPretty = accepted.codec === 'json' && accepted.pretty === true;
  return { status: 200, headers: { 'content-type': codec.mediaType }, body: isPretty ? pretty(join(pieces)) : pieces };
}

/** Items of a list, each alone or, where the same run of entries was listed before, joined with its neighbours. */
async function encodeListing(context: VerbContext, codec: Codec, envelope: ListEnvelope, found: Listing): Promise<readonly Uint8Array[]> {
  const { items, runs } = found;
  const pieces: Uint8Array[] = [];
  const turns = new Turns();
  // Many may have waited for the same state, and all of them begin in the turn in which it is there.
  if (isTurnLong()) await nextTurn();
  if (runs === undefined || codec !== context.env.codecs.json) {
    await encodeItems(context, codec, items, pieces, turns);
    return pieces;
  }
  const form = `${envelope.kind} ${envelope.apiVersion}`;
  for (const run of runs) {
    const own: Uint8Array[] = [];
    if (isJoined(run, form)) {
      const due = turns.after(run.items.length);
      if (due !== undefined) await due;
    } else {
      await encodeItems(context, codec, run.items, own, turns);
    }
    const encode = (): readonly Uint8Array[] => run.items.map((stored) => encodeStored(context, codec, stored));
    const joined = joinedRun(run, form, () => codec.list(envelope, encode()));
    if (joined !== undefined) pieces.push(joined);
    else pieces.push(...(own.length > 0 ? own : encode()));
  }
  return pieces;
}

async function encodeItems(context: VerbContext, codec: Codec, items: readonly Stored[], pieces: Uint8Array[], turns: Turns): Promise<void> {
  for (const stored of items) {
    pieces.push(encodeStored(context, codec, stored));
    const due = turns.after(1);
    if (due !== undefined) await due;
  }
}

/** Encoded in one turn of the event loop; between turns others get on. */
const ITEMS_PER_TURN = 1000;
/** Some are a thousand times as large as most: what they took of the turn is looked at after every few. */
const LOOKED_AT_EVERY = 2;

/** The turns of one list. */
class Turns {
  #done = 0;
  #looked = 0;

  /** So many items are done. A promise where the rest is for another turn. */
  after(items: number): Promise<void> | undefined {
    this.#done += items;
    const isLate = ++this.#looked % LOOKED_AT_EVERY === 0 && isTurnLong();
    return isLate || this.#done >= ITEMS_PER_TURN ? this.#next() : undefined;
  }

  async #next(): Promise<void> {
    await nextTurn();
    this.#done = 0;
  }
}

/** @spec 2.3 @spec 4.4 */
export function listMetadata(context: VerbContext, found: Listing): ListEnvelope['metadata'] {
  const prefix = context.registry.prefixOf(context.route.key.namespace);
  return {
    resourceVersion: String(found.revision),
    ...(found.next === undefined ? {} : { continue: encodeContinueToken({ revision: found.revision, from: found.next, prefix }) }),
    ...(found.next === undefined || found.remaining === undefined || found.remaining === 0 ? {} : { remainingItemCount: found.remaining }),
  };
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
