import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Signed } from '#api';

/** A signature algorithm: the type of its key, its possible digests (undefined: none), and whether it is RSASSA-PSS. */
interface Algorithm {
  readonly keyType: 'rsa' | 'ec' | 'ed25519';
  readonly digests: readonly (string | undefined)[];
  readonly isPadded?: true;
}

/** By object identifier, in hex. MD5 is left out: it is broken. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['2a864886f70d010105', { keyType: 'rsa', digests: ['sha1'] }],
  ['2a864886f70d01010b', { keyType: 'rsa', digests: ['sha256'] }],
  ['2a864886f70d01010c', { keyType: 'rsa', digests: ['sha384'] }],
  ['2a864886f70d01010d', { keyType: 'rsa', digests: ['sha512'] }],
  // RSASSA-PSS: the digest is in the parameters, which are not read; all three are tried.
  ['2a864886f70d01010a', { keyType: 'rsa', digests: ['sha256', 'sha384', 'sha512'], isPadded: true }],
  ['2a8648ce3d0401', { keyType: 'ec', digests: ['sha1'] }],
  ['2a8648ce3d040302', { keyType: 'ec', digests: ['sha256'] }],
  ['2a8648ce3d040303', { keyType: 'ec', digests: ['sha384'] }],
  ['2a8648ce3d040304', { keyType: 'ec', digests: ['sha512'] }],
  ['2b6570', { keyType: 'ed25519', digests: [undefined] }],
]);
const CURVES: ReadonlySet<string> = new Set(['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']);

/** Whether the signature of the content is valid for the key, with an algorithm and a type of key that 1.23 supports. Never throws. */
export function verifySignature({ content, publicKey, algorithm, signature }: Signed): boolean {
  const known = ALGORITHMS.get(algorithm);
  const key = keyOf(publicKey);
  if (known === undefined || key?.asymmetricKeyType !== known.keyType) return false;
  const padding = known.isPadded === true ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  return known.digests.some((digest) => verify(digest, content, { key, ...padding }, signature));
}

/** Parses a public key; undefined: it is malformed, or uses an unsupported curve. */
function keyOf(publicKey: Uint8Array): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
    const { namedCurve } = key.asymmetricKeyDetails ?? {};
    return namedCurve === undefined || CURVES.has(namedCurve) ? key : undefined;
  } catch {
    return undefined;
  }
}
