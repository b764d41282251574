import { isApiVersion, ListMeta, StatusBody, type Brand } from '#api';
import type { MessageType } from '#schema';
import type { ApiError } from '#errors';
import { cannotBeHandled, decodeParsed, unrecognized } from '../body.ts';
import type { Codec, EventType, Expected, ListEnvelope } from '../codec.ts';
import type { Parts } from '../parts.ts';
import { readMessage } from './compile-reader.ts';
import { writeMessage } from './compile-writer.ts';
import { rawMemberOf, rawOf, readEnvelope, writeEnvelopeHead, writeEnvelopeTail } from './envelope.ts';
import { Reader, WireError } from './reader.ts';
import { BYTES, putVarint, tagOf, varintSize } from './varint.ts';
import { Writer } from './writer.ts';

/** The protobuf codec: objects in the envelope of Kubernetes. @spec 2.6 @spec 4.7 */
export function createProtobufCodec(brand: Brand): Codec {
  const mediaType = brand.names.protobuf;
  return {
    mediaType,
    frameHeadBytes: FRAME_HEAD_BYTES,
    isText: false,
    streamMediaType: `${mediaType};stream=watch`,
    get partCodec() {
      return this;
    },
    decode: (expected, bytes) => decodeParsed(expected, readBody(expected, bytes), bytes),
    encode,
    encodeStatus: (status) => encode(StatusBody.type, status),
    list,
    table: () => {
      throw new Error('a Table has no protobuf form');
    },
    frame,
  };
}

function readBody(expected: Expected, bytes: Uint8Array): Record<string, unknown> {
  const { apiVersion: named, kind, raw } = orRefused(() => readEnvelope(bytes), (why) => unrecognized(expected, why, bytes));
  // A malformed version counts as missing.
  const apiVersion = named === '/' || !isApiVersion(named) ? '' : named;
  const said = { apiVersion: apiVersion || expected.apiVersion, kind: kind || expected.kind };
  const object = orRefused(() => readMessage(expected.type, new Reader(raw), {}), (why) => cannotBeHandled(expected, said, why));
  return { ...object, apiVersion, kind };
}

function orRefused<T>(read: () => T, refusal: (why: string) => ApiError): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) throw refusal(error.message);
    throw error;
  }
}

/** Encoding is synchronous and not re-entrant, so one writer is enough. */
const writer = new Writer();

function encode(type: MessageType, object: { readonly apiVersion: string; readonly kind: string }): Uint8Array {
  writer.reset();
  writeEnvelopeTail(writer);
  const start = writer.length;
  writeMessage(type, writer, object);
  writeEnvelopeHead(writer, object.apiVersion, object.kind, writer.length - start);
  return writer.finish();
}

/** Encodes a message without an envelope, for documents with a media type of their own. */
export function encodeMessage(type: MessageType, value: object): Uint8Array {
  writer.reset();
  writeMessage(type, writer, value as Readonly<Record<string, unknown>>);
  return writer.finish();
}

/** The tags of the two fields of a list. */
const FIRST = tagOf(1, BYTES);
const SECOND = tagOf(2, BYTES);

/**
 * Starts a list. The bytes of items are taken out of their envelopes and sent unchanged, each after its tag and length. If the items are field 2, the
 * envelope already has the same tag and length, so that one view per item is enough: many long lists may be in progress at a time.
 */
function list(envelope: ListEnvelope): Parts<Uint8Array> {
  const pieces: Uint8Array[] = [new Uint8Array()];
  let rawLength = 0;
  return {
    add: (item) => {
      if (envelope.hasItemsFirst === true) {
        const raw = rawOf(item);
        pieces.push(messageHead(1, raw.length), raw);
        rawLength += 1 + varintSize(raw.length) + raw.length;
      } else {
        const member = rawMemberOf(item);
        pieces.push(member);
        rawLength += member.length;
      }
    },
    // The envelope begins with the total length, which is not known yet.
    take: () => [],
    end: () => {
      const metadata = encodeListMetadata(envelope);
      const isLast = envelope.hasItemsFirst === true;
      writer.reset();
      if (!isLast) writer.raw(metadata);
      writeEnvelopeHead(writer, envelope.apiVersion, envelope.kind, rawLength + metadata.length);
      pieces[0] = writer.finish();
      writer.reset();
      writeEnvelopeTail(writer);
      if (isLast) writer.raw(metadata);
      pieces.push(writer.finish());
      return pieces;
    },
  };
}

function encodeListMetadata(envelope: ListEnvelope): Uint8Array {
  writer.reset();
  writeMessage(ListMeta.type, writer, envelope.metadata);
  writer.lengthSince(0);
  writer.varint(envelope.hasItemsFirst === true ? SECOND : FIRST);
  return writer.finish();
}

/** What stands before the bytes of a message that is field `no` of another one: tag and length. */
export function messageHead(no: number, length: number): Uint8Array {
  const tag = tagOf(no, BYTES);
  const head = Buffer.allocUnsafe(varintSize(tag) + varintSize(length));
  putVarint(head, putVarint(head, 0, tag), length);
  return head;
}

const EVENT_TYPE = tagOf(1, BYTES);
const EVENT_OBJECT = tagOf(2, BYTES);
const EVENT_RAW = tagOf(1, BYTES);
const FRAME_HEAD_BYTES = 4;

/** A frame: the length in four bytes, big-endian, then the event. Only the object in it has an envelope. */
function frame(event: EventType, body: Uint8Array): Uint8Array {
  writer.reset();
  writer.bytes(body);
  writer.varint(EVENT_RAW);
  writer.lengthSince(0);
  writer.varint(EVENT_OBJECT);
  writer.text(event);
  writer.varint(EVENT_TYPE);
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  head.writeUInt32BE(writer.length);
  writer.raw(head);
  return writer.finish();
}
