import { StorageFailure, type Key } from '../engine.ts';
import type { ValueTransformer } from '../value-transformer.ts';
import type { Provider } from './provider.ts';

/**
 * Which providers encrypt the values under some key prefixes: the first one encrypts, every one decrypts. Of several rules for a prefix, the providers of
 * the later ones come after those of the earlier ones.
 */
export interface EncryptionRule {
  readonly prefixes: readonly Key[];
  /** Not empty. */
  readonly providers: readonly Provider[];
}

/** Encrypts each value by the rules for its key; values that no rule covers stay as they are. `fromStorage` throws `StorageFailure` (`corrupt`). */
export function encryptionTransformer(rules: readonly EncryptionRule[]): ValueTransformer {
  const byPrefix = new Map<Key, readonly Provider[]>();
  for (const { prefixes, providers } of rules) {
    for (const prefix of new Set(prefixes)) byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), ...providers]);
  }
  const covered = [...byPrefix];
  const providersOf = (key: Key): readonly Provider[] => covered.find(([prefix]) => key.startsWith(prefix))?.[1] ?? [];
  return {
    toStorage(key, value) {
      const [writer] = providersOf(key);
      if (writer === undefined || writer.mark.length === 0) return value;
      return Buffer.concat([writer.mark, writer.encrypt(value, key)]);
    },
    fromStorage(key, kept) {
      const providers = providersOf(key);
      return providers.length === 0 ? { value: kept, isStale: false } : openWith(providers, key, kept);
    },
  };
}

function openWith(providers: readonly Provider[], key: Key, kept: Uint8Array): { value: Uint8Array; isStale: boolean } {
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.length);
  let cause: unknown;
  for (const [i, { mark, decrypt }] of providers.entries()) {
    if (!mark.equals(bytes.subarray(0, mark.length))) continue;
    try {
      // An array of its own, also where nothing is encrypted: a stale one is marked.
      return { value: decrypt(bytes.subarray(mark.length), key), isStale: i > 0 };
    } catch (error) {
      cause = error;
    }
  }
  const message = cause === undefined ? 'none of the encryption providers given has written it' : 'no key given opens it';
  throw new StorageFailure('corrupt', `the entry ${key} cannot be decrypted: ${message}`, { cause });
}
