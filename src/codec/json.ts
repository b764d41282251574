import { jsonLine, JsonSyntaxError, jsonText, parseJson } from '#base';
import type { Table, TableRow } from '#api';
import type { Status } from '#errors';
import type { Codec, EventType, ListEnvelope } from './codec.ts';
import { decodeParsed, refuseWholeFloats, unrecognized } from './body.ts';
import { itemKindToDrop } from './list-items.ts';
import { Gathered, type Parts } from './parts.ts';

const NEWLINE = 0x0a;
const OPEN = Buffer.from('{');
const COMMA = Buffer.from(',');
const LIST_END = Buffer.from(']}\n');
const FRAME_END = Buffer.from('}\n');

const EVENT_HEADS: Readonly<Record<EventType, Buffer>> = {
  ADDED: frameHead('ADDED'),
  MODIFIED: frameHead('MODIFIED'),
  DELETED: frameHead('DELETED'),
  BOOKMARK: frameHead('BOOKMARK'),
  ERROR: frameHead('ERROR'),
};

function frameHead(event: string): Buffer {
  return Buffer.from(`{"type":${JSON.stringify(event)},"object":`);
}

/** The JSON codec: one object per line. @spec 4.7 */
export function createJsonCodec(): Codec {
  return {
    mediaType: 'application/json',
    streamMediaType: 'application/json',
    get partCodec() {
      return this;
    },
    decode: (expected, bytes) => {
      let body: unknown;
      try {
        body = parseJson(bytes);
      } catch (error) {
        if (error instanceof JsonSyntaxError) {
          throw unrecognized(expected, `couldn't get version/kind; json parse error: ${error.message}`, bytes);
        }
        throw error;
      }
      const object = decodeParsed(expected, body, bytes);
      refuseWholeFloats(expected, bytes);
      return object;
    },
    frameHeadBytes: 0,
    isText: true,
    encode: (_type, object) => jsonLine(object),
    encodeStatus: (status: Status) => jsonLine(status),
    list,
    table,
    frame: (event, body) => Buffer.concat([EVENT_HEADS[event], withoutNewline(body), FRAME_END]),
  };
}

/** The bytes after the first `from` ones, without a line feed at the end. */
function withoutNewline(bytes: Uint8Array, from = 0): Uint8Array {
  const end = bytes[bytes.length - 1] === NEWLINE ? bytes.length - 1 : bytes.length;
  return from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end);
}

/** Starts a list. An added item may also be several items joined with commas. */
function list(envelope: ListEnvelope): Parts<Uint8Array> {
  const { kind, apiVersion, metadata, isNullWhenEmpty } = envelope;
  const itemKind = itemKindToDrop(envelope);
  const repeated = itemKind === undefined ? undefined : Buffer.from(openObject({ kind: itemKind, apiVersion }));
  const push = (pieces: Uint8Array[], item: Uint8Array): void => pushItem(pieces, item, repeated);
  return partsIn({ kind, apiVersion, metadata }, 'items', push, isNullWhenEmpty === true ? 'null' : '[]');
}

const table = (head: Omit<Table, 'rows'>): Parts<TableRow> =>
  partsIn(head, 'rows', (pieces, row) => pieces.push(Buffer.from(jsonText(row))), '[]');

/** An object of `head` with a list of parts as its last member; `empty` stands for a list without parts. */
function partsIn<T>(head: object, member: string, push: (pieces: Uint8Array[], part: T) => void, empty: string): Parts<T> {
  const gathered = new Gathered();
  const start = `${openObject(head)}"${member}":`;
  let isEmpty = true;
  return {
    add: (part) => {
      gathered.pieces.push(isEmpty ? Buffer.from(`${start}[`) : COMMA);
      isEmpty = false;
      push(gathered.pieces, part);
    },
    take: () => gathered.take(),
    end: () => {
      gathered.pieces.push(isEmpty ? Buffer.from(`${start}${empty}}\n`) : LIST_END);
      return gathered.take();
    },
  };
}

/** The JSON of an object without the closing brace, ready for one more member. */
const openObject = (members: object): string => `${jsonText(members).slice(0, -1)},`;

/** Adds an item without its leading `kind` and `apiVersion` if they follow from the list. `repeated`: the bytes of these two members. */
function pushItem(pieces: Uint8Array[], item: Uint8Array, repeated: Buffer | undefined): void {
  const repeats = repeated !== undefined && item.length > repeated.length && repeated.compare(item, 0, repeated.length) === 0;
  if (repeats) pieces.push(OPEN, withoutNewline(item, repeated.length));
  else pieces.push(withoutNewline(item));
}
