import { requestBytes } from '#kinds';

const [SEQUENCE, SET, OBJECT_ID] = [0x30, 0x31, 0x06];
/** The OID of organizationName: 2.5.4.10. */
const ORGANIZATION = Uint8Array.of(0x55, 0x04, 0x0a);

/** Decoders of string types, by ASN.1 tag: UTF-8, printable, Teletex, IA5, and those with two and four bytes for each character. */
const TEXTS: ReadonlyMap<number, (bytes: Uint8Array) => string> = new Map([
  [0x0c, narrow],
  [0x13, narrow],
  [0x14, narrow],
  [0x16, narrow],
  [0x1e, (bytes) => wide(bytes, 2)],
  [0x1c, (bytes) => wide(bytes, 4)],
]);

/**
 * The organizations (groups) in the subject of a certificate request, given as base64 of PEM; where the PEM text has several blocks, of the one that
 * is signed. undefined: unreadable, and so possibly any organization.
 */
export function organizationsOf(request: unknown): readonly string[] | undefined {
  try {
    const der = requestBytes(String(request));
    if (der === undefined) return undefined;
    const [info] = childrenOf(single(elementAt(der, 0), SEQUENCE));
    const [, subject] = childrenOf(single(info, SEQUENCE));
    return childrenOf(single(subject, SEQUENCE)).flatMap((set) => childrenOf(single(set, SET)).flatMap(organizationIn));
  } catch (cause) {
    if (cause instanceof Unreadable || cause instanceof DOMException) return undefined;
    throw cause;
  }
}

class Unreadable extends Error {}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** The offset of the next element. */
  readonly end: number;
}

function organizationIn(attribute: Element): readonly string[] {
  const [type, value] = childrenOf(single(attribute, SEQUENCE));
  if (type?.tag !== OBJECT_ID || !isShortest(type.content) || value === undefined) throw new Unreadable();
  if (type.content.length !== ORGANIZATION.length || !type.content.every((byte, at) => byte === ORGANIZATION[at])) return [];
  const read = TEXTS.get(value.tag);
  if (read === undefined) throw new Unreadable();
  return [read(value.content)];
}

/** No subidentifier of the OID may begin with a padding byte (0x80): some parsers accept it as the same number, others refuse it. */
const isShortest = (identifier: Uint8Array): boolean => identifier.every((byte, at) => byte !== 0x80 || ((identifier[at - 1] ?? 0) & 0x80) !== 0);

function single(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new Unreadable();
  return element;
}

function childrenOf({ content }: Element): readonly Element[] {
  const children: Element[] = [];
  for (let at = 0; at < content.length; at = children.at(-1)?.end ?? content.length) children.push(elementAt(content, at));
  return children;
}

function elementAt(bytes: Uint8Array, at: number): Element {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || first === 0x80 || first > 0x84) throw new Unreadable();
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  let length = lengthBytes === 0 ? first : 0;
  for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  const start = at + 2 + lengthBytes;
  if (start + length > bytes.length) throw new Unreadable();
  return { tag, content: bytes.subarray(start, start + length), end: start + length };
}

function narrow(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function wide(bytes: Uint8Array, width: number): string {
  let text = '';
  for (let at = 0; at + width <= bytes.length; at += width) {
    const code = bytes.subarray(at, at + width).reduce((sum, byte) => sum * 256 + byte, 0);
    if (code > 0x10_ff_ff) throw new Unreadable();
    text += String.fromCodePoint(code);
  }
  return text;
}
