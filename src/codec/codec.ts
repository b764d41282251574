import type { ApiObject, Table, TableRow } from '#api';
import type { Status } from '#errors';
import type { MessageType } from '#schema';
import type { Parts } from './parts.ts';

/** The `apiVersion` and `kind` that a body must have, and that are assumed where they are missing. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: MessageType;
  /** Whether a body without `kind` or `apiVersion` is refused (custom resources). */
  readonly mustSayKind?: boolean;
  /** Set for kinds whose version and kind are checked after decoding, like other fields (custom resources). */
  readonly otherHead?: OtherHead | undefined;
  /** The kind is one of the options, which are registered in all versions: a body may name any version, and error messages do not include it. */
  readonly isOptions?: boolean;
  /** The body is the result of a patch: error messages say only what is wrong with it. */
  readonly isPatched?: boolean;
  /** The body is the result of a merge (see `decodeMerged`). */
  readonly isMerged?: boolean;
  /** Other versions of the same form that a body may have. */
  readonly alsoAccepts?: readonly string[];
}

/** What becomes of a version or kind that is not the expected one: `BadRequest`, an invalid field, or nothing. */
export type Difference = 'refused' | 'invalid' | 'ignored';

/** The version and the kind that a body names. */
export interface OtherHead {
  readonly apiVersion: Difference;
  readonly kind: Difference;
}

/** The type of an event of a watch stream. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One wire format of objects. Codecs are stateless and shared. */
export interface Codec {
  /** The Content-Type of an object. */
  readonly mediaType: string;
  /** The Content-Type of a watch stream. */
  readonly streamMediaType: string;
  /** The codec that encodes the parts given to `list` and `frame`: this one, or another one if parts are encoded again inside the whole. */
  readonly partCodec: Codec;
  /**
   * Decodes an object in the version in which it was sent: `apiVersion` and `kind` are set, unknown fields are dropped, defaults are not applied.
   * Throws `BadRequest` when the bytes are not in this format or do not fit the type.
   */
  decode(expected: Expected, bytes: Uint8Array): ApiObject;
  /** Encodes any object of a type: an object of a kind, a Status, a Table. */
  encode(type: MessageType, object: { readonly apiVersion: string; readonly kind: string }): Uint8Array;
  encodeStatus(status: Status): Uint8Array;
  /** Starts a list, to which items are added as `partCodec` encoded them. */
  list(envelope: ListEnvelope): Parts<Uint8Array>;
  /** A Table, for its rows. There is no protobuf form, and none is offered. */
  table(head: Omit<Table, 'rows'>): Parts<TableRow>;
  /** Encodes one event of a watch stream, with framing. `body` is an object as `partCodec` encoded it. */
  frame(event: EventType, body: Uint8Array): Uint8Array;
  /** The number of bytes of framing before an event. A WebSocket message is sent without them. */
  readonly frameHeadBytes: number;
  /** Whether frames are text. */
  readonly isText: boolean;
}

/** A list without its items. */
export interface ListEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether items include `kind` and `apiVersion` (custom resources). Otherwise only the list has them. */
  readonly keepsItemKind?: boolean;
  /** Whether in protobuf the items are field 1 and the metadata field 2, unlike in all other lists. */
  readonly hasItemsFirst?: boolean;
  /** Whether null stands in text where a list has no items. */
  readonly isNullWhenEmpty?: boolean;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
}
