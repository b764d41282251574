import { decodeBase64Text, type Signed } from '#api';

/** A PEM block. */
export interface PemBlock {
  readonly label: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';

/** The blocks of a PEM text, without malformed ones: each begins at the last begin line before an end line. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  const lines = text.split('\n');
  let begin: number | undefined;
  for (const [at, line] of lines.entries()) {
    if (line.startsWith(BEGIN)) begin = at;
    else if (line.startsWith(END)) {
      const block = begin === undefined ? undefined : readBlock(lines.slice(begin, at + 1));
      if (block !== undefined) blocks.push(block);
      begin = undefined;
    }
  }
  return blocks;
}

/**
 * The certificate request in `spec.request`, as DER: the first complete block of the text. undefined: there is none, or it has another label.
 * Approver and signer must read the same block.
 */
export function requestBytes(base64: string): Uint8Array | undefined {
  const [block] = pemBlocks(decodeBase64Text(base64));
  return block?.label === 'CERTIFICATE REQUEST' ? block.bytes : undefined;
}

/** Parses a block. `lines`: from its begin line to its end line. undefined: it is malformed. */
function readBlock(lines: readonly string[]): PemBlock | undefined {
  const [first = '', ...rest] = lines.map((line) => line.trimEnd());
  const last = rest.pop();
  const label = first.slice(BEGIN.length, -DASHES.length);
  if (!first.endsWith(DASHES) || first.length < BEGIN.length + DASHES.length || last !== `${END}${label}${DASHES}`) return undefined;
  const headers = rest.findIndex((line) => !line.includes(':'));
  // A block without any line after its headers is malformed.
  if (headers === -1 && rest.length > 0) return undefined;
  const bytes = bytesOf(rest.slice(Math.max(headers, 0)).join('').replaceAll(/[ \t]/g, ''));
  return bytes === undefined ? undefined : { label, hasHeaders: headers > 0, bytes };
}

function bytesOf(base64: string): Uint8Array | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const INTEGER = 0x02;
const OBJECT_ID = 0x06;

/** The number of concatenated DER certificates (X.509); undefined: some bytes are no certificate. */
export function countCertificates(bytes: Uint8Array): number | undefined {
  let count = 0;
  for (let at = 0; at < bytes.length; count++) {
    const one = readElement(bytes, at, bytes.length);
    if (one === undefined || !isCertificate(bytes.subarray(one.at, one.end))) return undefined;
    at = one.end;
  }
  return count;
}

const VERSION = 0xa0;
const SET = 0x31;

/** Whether the bytes are a certificate; a certificate request has the same outer structure and is told apart by the signed content. */
function isCertificate(bytes: Uint8Array): boolean {
  const [content] = signedParts(bytes) ?? [];
  if (content === undefined) return false;
  const members = membersOf(bytes, content);
  const [serial, algorithm, issuer, validity, subject] = members[0]?.tag === VERSION ? members.slice(1) : members;
  if (serial?.tag !== INTEGER || algorithm?.tag !== SEQUENCE || validity?.tag !== SEQUENCE) return false;
  // A distinguished name is a sequence of sets.
  return [issuer, subject].every((name) => name?.tag === SEQUENCE && membersOf(bytes, name).every(({ tag }) => tag === SET));
}

/** A certificate request, as it was signed. */
export interface SignedRequest extends Signed {
  /** The requested subject, in the exact bytes of the request. */
  readonly subject: Uint8Array;
}

/** The parts of a certificate request (PKCS #10); undefined: it is none. */
export function readSignedRequest(bytes: Uint8Array): SignedRequest | undefined {
  const parts = signedParts(bytes);
  if (parts === undefined) return undefined;
  const [content, algorithm, signature] = parts;
  const [identifier] = membersOf(bytes, algorithm);
  const [version, subject, publicKey] = membersOf(bytes, content);
  if (identifier?.tag !== OBJECT_ID || version?.tag !== INTEGER || subject?.tag !== SEQUENCE || publicKey?.tag !== SEQUENCE) return undefined;
  // The first byte of a bit string is the number of unused bits, which must be 0.
  if (bytes[signature.start] !== 0) return undefined;
  return {
    content: bytes.subarray(content.at, content.end),
    subject: bytes.subarray(subject.at, subject.end),
    publicKey: bytes.subarray(publicKey.at, publicKey.end),
    algorithm: Array.from(bytes.subarray(identifier.start, identifier.end), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    signature: bytes.subarray(signature.start + 1, signature.end),
  };
}

function signedParts(bytes: Uint8Array): readonly [content: Element, algorithm: Element, signature: Element] | undefined {
  const outer = readElement(bytes, 0, bytes.length);
  if (outer?.tag !== SEQUENCE || outer.end !== bytes.length) return undefined;
  const [content, algorithm, signature, more] = membersOf(bytes, outer);
  if (content?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE || signature?.tag !== BIT_STRING || more !== undefined) return undefined;
  return signature.end === outer.end ? [content, algorithm, signature] : undefined;
}

/** The first six elements inside another, up to a malformed one; no caller needs more. */
function membersOf(bytes: Uint8Array, outer: Element): readonly Element[] {
  const members: Element[] = [];
  for (let at = outer.start; at < outer.end && members.length < 6; ) {
    const member = readElement(bytes, at, outer.end);
    if (member === undefined) return members;
    members.push(member);
    at = member.end;
  }
  return members;
}

interface Element {
  readonly tag: number;
  /** Offset of the element, tag and length included. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** Reads one DER element; undefined: it does not end before `limit`. */
function readElement(bytes: Uint8Array, at: number, limit: number): Element | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || at + 2 > limit) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 4 || first === 0x80) return undefined;
  let length = lengthBytes === 0 ? first : 0;
  for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  const start = at + 2 + lengthBytes;
  return start + length <= limit ? { tag, at, start, end: start + length } : undefined;
}
