import { pretty, type Codec, type ListEnvelope } from '#codec';
import type { Reply } from '#request';
import { encodeContinueToken, type Listing, type Stored } from '#registry';
import { checkForm } from './check-form.ts';
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
    metadata,
  };
  const pieces = codec.list(envelope, await encodeItems(context, codec, found.items));
  const isPretty = accepted.codec === 'json' && accepted.pretty === true;
  return { status: 200, headers: { 'content-type': codec.mediaType }, body: isPretty ? pretty(join(pieces)) : pieces };
}

/** Encoded in one turn of the event loop; between turns others get on. */
const ITEMS_PER_TURN = 1000;

async function encodeItems(context: VerbContext, codec: Codec, items: readonly Stored[]): Promise<readonly Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  for (const stored of items) {
    if (encoded.length > 0 && encoded.length % ITEMS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    encoded.push(encodeStored(context, codec, stored));
  }
  return encoded;
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
