import { pretty, type Codec, type ListEnvelope } from '#codec';
import type { Reply } from '#request';
import { encodeContinueToken, type Listing, type Stored } from '#registry';
import { checkForm } from './check-form.ts';
import { joinedRun } from './joined-runs.ts';
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
function encodeListing(context: VerbContext, codec: Codec, envelope: ListEnvelope, found: Listing): Promise<readonly Uint8Array[]> {
  const { runs } = found;
  if (runs === undefined || codec !== context.env.codecs.json) return encodeItems(context, codec, found.items);
  return inTurns(runs, ({ items }) => items.length, (run, pieces) => {
    const encode = (): readonly Uint8Array[] => run.items.map((stored) => encodeStored(context, codec, stored));
    const joined = joinedRun(run, `${envelope.kind} ${envelope.apiVersion}`, () => codec.list(envelope, encode()));
    if (joined === undefined) pieces.push(...encode());
    else pieces.push(joined);
  });
}

const encodeItems = (context: VerbContext, codec: Codec, items: readonly Stored[]): Promise<readonly Uint8Array[]> =>
  inTurns(items, () => 1, (stored, pieces) => void pieces.push(encodeStored(context, codec, stored)));

/** Encoded in one turn of the event loop; between turns others get on. */
const ITEMS_PER_TURN = 1000;

async function inTurns<T>(parts: readonly T[], sizeOf: (part: T) => number, encode: (part: T, pieces: Uint8Array[]) => void): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let done = 0;
  for (const part of parts) {
    if (done >= ITEMS_PER_TURN) {
      await new Promise((resolve) => setImmediate(resolve));
      done = 0;
    }
    encode(part, pieces);
    done += sizeOf(part);
  }
  return pieces;
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
