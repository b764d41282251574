import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { failureText } from '#base';
import type { SigningKey, VerifyingKey } from '#authentication';

/** The keys that sign and verify service account tokens. */
export interface TokenKeys {
  /** The signing key; generated on first use where none was given. Does not throw. */
  signing(): SigningKey;
  /** The key of tokens that are put into Secrets. */
  signingSecrets(): SigningKey;
  verifying(): readonly PublishedKey[];
}

/** A public key published for token verification. */
export interface PublishedKey extends VerifyingKey {
  readonly keyId: string;
}

export interface TokenKeyOptions {
  /** PEM of a private key, RSA or EC. Default: one that lives as long as the server, made when it is first needed. */
  readonly signingKey?: string;
  /** PEM of the private key of tokens that are put into Secrets. Default: the signing key. */
  readonly secretSigningKey?: string;
  /** PEM texts, each with any number of keys, public or private, or certificates. Only their tokens are accepted. Default: the signing keys. */
  readonly verifyingKeys?: readonly string[];
}

/** Throws an `Error` that names the flag where a key cannot be used. */
export function openTokenKeys({ signingKey, secretSigningKey, verifyingKeys = [] }: TokenKeyOptions): TokenKeys {
  const given = verifyingKeys.flatMap((pem) => readKeys(pem));
  let own = signingKey === undefined ? undefined : pairOf(readPrivate('service-account-signing-key-file', signingKey));
  const ofSecrets = secretSigningKey === undefined ? undefined : pairOf(readPrivate('service-account-private-key-file', secretSigningKey));
  const signing = (): SigningKey => (own ??= pairOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)).signing;
  return {
    signing,
    signingSecrets: () => ofSecrets?.signing ?? signing(),
    verifying() {
      if (given.length > 0) return given;
      return [own, ofSecrets].flatMap((pair) => pair?.verifying ?? []);
    },
  };
}

/** PEM of a new signing key. */
export const createSigningKeyPem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
const MIN_RSA_BITS = 2048;

/** The one signature algorithm of a key. Throws for an unsupported key. */
function algorithmOf(key: KeyObject): string {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS) return 'RS256';
  const algorithm = key.asymmetricKeyType === 'ec' ? CURVES[namedCurve] : undefined;
  if (algorithm === undefined) throw new Error(`a key must be RSA with ${MIN_RSA_BITS} bits or more, or EC on P-256, P-384 or P-521`);
  return algorithm;
}

function published(key: KeyObject): PublishedKey {
  const keyId = createHash('sha256').update(key.export({ type: 'spki', format: 'der' })).digest('base64url');
  return { key, algorithm: algorithmOf(key), keyId };
}

function pairOf(key: KeyObject): { readonly signing: SigningKey; readonly verifying: readonly PublishedKey[] } {
  const own = published(createPublicKey(key));
  return { signing: { key, algorithm: own.algorithm, keyId: own.keyId }, verifying: [own] };
}

function readPrivate(flag: string, pem: string): KeyObject {
  try {
    return checkSigningKey(pem);
  } catch (cause) {
    throw new Error(`${flag}: ${failureText(cause)}`, { cause });
  }
}

/** The private key in a PEM text. Throws an `Error` where there is none, or tokens cannot be signed with it. */
export function checkSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  algorithmOf(key);
  return key;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

function readKeys(pem: string): readonly PublishedKey[] {
  try {
    const keys = [...pem.matchAll(BLOCK)].filter(([, name]) => name !== 'EC PARAMETERS').map(([block, name]) => published(readPublic(block, name)));
    if (keys.length === 0) throw new Error('there is no PEM key in it');
    return keys;
  } catch (cause) {
    throw new Error(`service-account-key-file: ${failureText(cause)}`, { cause });
  }
}

const readPublic = (block: string, name: string | undefined): KeyObject =>
  name === 'CERTIFICATE' ? new X509Certificate(block).publicKey : createPublicKey(block);
