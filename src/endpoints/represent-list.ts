import { listKindOf } from '#api';
import { withParts, type Codec, type ListEnvelope } from '#codec';
import { encodeContinueToken, inApiTerms, pageAfter, type Listing } from '#registry';
import type { Reply } from '#request';
import { checkForm } from './check-form.ts';
import { isJoined, joinedRun } from './joined-runs.ts';
import { codecOf, encodeStored, isPartialMetadata } from './encode-stored.ts';
import { generateDocument } from './generated-document.ts';
import { replyDocument, replyPieces } from './reply-bytes.ts';
import { tableReply } from './represent-table.ts';
import { Turns } from './turns.ts';
import type { VerbContext } from './verb-context.ts';

/** Replies with a collection in the negotiated form. Throws `ApiError`: that an entry cannot be read may show only here. @spec 2.3 */
export const replyList = (context: VerbContext, found: Listing): Promise<Reply> => inApiTerms(() => replyWith(context, found));

async function replyWith(context: VerbContext, found: Listing): Promise<Reply> {
  const { accepted } = context;
  checkForm(context, 'list');
  const metadata = listMetadata(context, found);
  if (accepted.as === 'Table') return tableReply(context, 200, found.items, metadata);
  const codec = codecOf(context);
  const envelope = isPartialMetadata(accepted) ? partialEnvelope(context, metadata) : objectsEnvelope(context, metadata);
  const turns = new Turns(context.request);
  // Many lists may have waited for the same revision, and all of them resume in the turn of the event loop in which it arrives.
  if (turns.isUsedUp) await turns.next();
  if (codec.partCodec === codec) return replyPieces(context, 200, await encodeListing(context, codec, envelope, found, turns));
  return replyDocument(context, 200, generateDocument(codec.list(envelope), found.items, turns, (stored) => encodeStored(context, codec.partCodec, stored)));
}

function objectsEnvelope({ route: { resource, served } }: VerbContext, metadata: ListEnvelope['metadata']): ListEnvelope {
  const said = { kind: listKindOf(resource.kind), apiVersion: served.apiVersion };
  if (resource.kind.isCustom !== true) return { ...said, metadata };
  return { ...said, keepsItemKind: true, metadata: { ...metadata, continue: metadata.continue ?? '' } };
}

/** The list of metadata alone does not say how many objects remain, and has null where none is found. */
function partialEnvelope({ accepted, env }: VerbContext, { remainingItemCount: _remaining, ...metadata }: ListEnvelope['metadata']): ListEnvelope {
  const version = accepted.asVersion ?? 'v1';
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `${env.catalog.brand.group('meta')}/${version}`,
    ...(version === 'v1beta1' ? { hasItemsFirst: true } : {}),
    isNullWhenEmpty: true,
    metadata,
  };
}

/** Encodes the items of a list, each on its own or, where the same run of entries was listed before, joined with its neighbours. */
async function encodeListing(context: VerbContext, codec: Codec, envelope: ListEnvelope, found: Listing, turns: Turns): Promise<readonly Uint8Array[]> {
  const { items, runs } = found;
  const list = codec.list(envelope);
  if (runs === undefined || codec !== context.env.codecs.json) {
    await turns.each(items, (stored) => list.add(encodeStored(context, codec, stored)));
    return list.end();
  }
  const form = `${envelope.kind} ${envelope.apiVersion}`;
  for (const run of runs) {
    const own: Uint8Array[] = [];
    if (isJoined(run, form)) {
      const due = turns.after(run.items.length);
      if (due !== undefined) await due;
    } else {
      await turns.each(run.items, (stored) => own.push(encodeStored(context, codec, stored)));
    }
    const encode = (): readonly Uint8Array[] => (own.length > 0 ? own : run.items.map((stored) => encodeStored(context, codec, stored)));
    const joined = joinedRun(run, form, () => withParts(codec.list(envelope), encode()));
    if (joined !== undefined) list.add(joined);
    else for (const item of encode()) list.add(item);
  }
  return list.end();
}

/** @spec 2.3 @spec 4.4 */
function listMetadata(context: VerbContext, found: Listing): ListEnvelope['metadata'] {
  const { items, next, revision } = found;
  const prefix = context.registry.prefixOf(context.route.key.namespace);
  const from = next === undefined ? undefined : pageAfter(items.at(-1)?.key ?? next);
  return {
    resourceVersion: String(revision),
    ...(from === undefined ? {} : { continue: encodeContinueToken({ revision, from, prefix }) }),
    ...(next === undefined || found.remaining === undefined || found.remaining === 0 ? {} : { remainingItemCount: found.remaining }),
  };
}
