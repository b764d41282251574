import type { ApiObject, Table, TableRow } from '#api';
import type { Status } from '#errors';
import type { MessageType } from '#schema';
import type { Parts } from './parts.ts';

/** What `apiVersion` and `kind` of a body may be, and what to assume where they are missing. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: MessageType;
  /** A body without `kind` or `apiVersion` is refused (custom resources). */
  readonly mustSayKind?: boolean;
  /** Said in the refusal of a body that says it is of another kind, for kinds that check this like any other field (custom resources). */
  readonly group?: string;
  /** Options are registered in all versions: a body may name any, known or not, and what is wrong with it is told bare, without a version. */
  readonly isOptions?: boolean;
  /** Other versions that look the same: a body is of one of these or of `apiVersion`. */
  readonly alsoAccepts?: readonly string[];
}

/** What an event of a watch stream says. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One wire format of objects. `Codec` values are stateless and shared. */
export interface Codec {
  /** As sent in Content-Type. */
  readonly mediaType: string;
  /** As sent in Content-Type of a watch stream. */
  readonly streamMediaType: string;
  /** Who encodes what `list` and `frame` take: this codec, or another one where a part is written anew inside the whole. */
  readonly partCodec: Codec;
  /**
   * In the normal form of the version it was sent in; `apiVersion` and `kind` are set, fields that the type does not know are dropped, defaults are not
   * applied. Throws `BadRequest` where the bytes are not of this format or do not fit the type.
   */
  decode(expected: Expected, bytes: Uint8Array): ApiObject;
  /** Any object of a known type: a kind's object, a Status, a Table. */
  encode(type: MessageType, object: { readonly apiVersion: string; readonly kind: string }): Uint8Array;
  encodeStatus(status: Status): Uint8Array;
  /** A list, for its items as `partCodec` encoded them. */
  list(envelope: ListEnvelope): Parts<Uint8Array>;
  /** A Table, for its rows. Protobuf has none, and nobody is promised it. */
  table(head: Omit<Table, 'rows'>): Parts<TableRow>;
  /** One event of a watch stream, framed. `body` is an object as `partCodec` encoded it. */
  frame(event: EventType, body: Uint8Array): Uint8Array;
  /** What stands before an event in its frame: bytes that a message of its own does not need. */
  readonly frameHeadBytes: number;
  /** Frames are text. */
  readonly isText: boolean;
}

/** A list but for its items. */
export interface ListEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** Items say `kind` and `apiVersion` themselves (custom resources). Otherwise the list says it for them. */
  readonly keepsItemKind?: boolean;
  /** In protobuf its items are the first member and its metadata the second, other than in all other lists. */
  readonly hasItemsFirst?: boolean;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string; readonly remainingItemCount?: number };
}
