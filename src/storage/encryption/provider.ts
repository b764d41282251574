import type { Key } from '../engine.ts';

/** One way to keep values, with one key. */
export interface Provider {
  /** What a value kept by it begins with. Empty: anything that is not encrypted. */
  readonly mark: Buffer;
  /** `place` is authenticated where the algorithm can: a value that was moved to another place does not open. */
  encrypt(value: Uint8Array, place: Key): Uint8Array;
  /** `sealed` without the mark. Throws when it was not sealed by this key. */
  decrypt(sealed: Buffer, place: Key): Uint8Array;
}

/** What every encrypted value begins with, whoever encrypted it. */
export const ENCRYPTED: Buffer = Buffer.from('k8s:enc:');

/** `k8s:enc:<algorithm>:v1:<name of the key>:`, as Kubernetes writes it. */
export const markOf = (algorithm: string, keyName: string): Buffer => Buffer.from(`${ENCRYPTED.toString()}${algorithm}:v1:${keyName}:`);
