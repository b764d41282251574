import { StorageFailure, type Key } from '../engine.ts';

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

/** The mark `k8s:enc:<algorithm>:v1:<name of the key>:`, the same as kube-apiserver's. */
export const markOf = (algorithm: string, keyName: string): Buffer => Buffer.from(`${ENCRYPTED.toString()}${algorithm}:v1:${keyName}:`);

/** Whether a stored value is encrypted, in the form of Kubernetes. */
export const isEncrypted = (value: Uint8Array): boolean => ENCRYPTED.equals(value.subarray(0, ENCRYPTED.length));

/** The failure for an encrypted entry for which no key was given. */
export const noKeyFor = (key: Key): StorageFailure => new StorageFailure('corrupt', `the entry ${key} is encrypted: give its key with --encryption-provider-config`);
