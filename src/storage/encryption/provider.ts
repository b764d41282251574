import type { Key } from '../entry.ts';
import { StorageFailure } from '../storage-failure.ts';

/** One encryption algorithm with one key. */
export interface Provider {
  /** The bytes that its encrypted values begin with; empty for the provider that does not encrypt. */
  readonly mark: Buffer;
  /** Encrypts a value, without the mark. Where the algorithm supports it, `place` is authenticated: a value copied to another key does not decrypt. */
  encrypt(value: Uint8Array, place: Key): Uint8Array;
  /** Decrypts what `encrypt` returned. Throws when another key encrypted it. */
  decrypt(sealed: Buffer, place: Key): Uint8Array;
}

/** What every encrypted value begins with, for all providers. */
const ENCRYPTED: Buffer = Buffer.from('k8s:enc:');
/** Where a mark is looked for in a value. */
const MARK_BYTES = 300;

/** The mark `k8s:enc:<algorithm>:v1:<name of the key>:`, the same as kube-apiserver's. */
export const markOf = (algorithm: string, keyName: string): Buffer => Buffer.from(`${ENCRYPTED.toString()}${algorithm}:v1:${keyName}:`);

/** Whether a stored value is encrypted, in the form of Kubernetes. */
export const isEncrypted = (value: Uint8Array): boolean => ENCRYPTED.equals(value.subarray(0, ENCRYPTED.length));

/** The mark of an encrypted value, as text; undefined: it is not encrypted. Of a key whose name has a colon it is the part before that. */
export function markIn(value: Buffer): string | undefined {
  if (!isEncrypted(value)) return undefined;
  return /^k8s:enc:[\w-]+:v\d+:[ -9;-~]*:/.exec(value.toString('latin1', 0, MARK_BYTES))?.[0] ?? ENCRYPTED.toString();
}

/** The failure for an encrypted entry for which no key was given. */
export const noKeyFor = (key: Key): StorageFailure => new StorageFailure('corrupt', `the entry ${key} is encrypted: give its key with --encryption-provider-config`);
