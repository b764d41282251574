/** Base64 as bytes fields carry it: RFC 4648 section 4, padded. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const PIECE = 8192;

/** UTF-8 bytes of a text as base64. */
export function encodeBase64Text(text: string): string {
  const bytes = encoder.encode(text);
  let binary = '';
  for (let at = 0; at < bytes.byteLength; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}

/** The text whose UTF-8 bytes these are. The base64 must be in normal form. */
export function decodeBase64Text(base64: string): string {
  return decoder.decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}

/** How many bytes a base64 text in normal form stands for. */
export function base64Length(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
