import type { Key } from '../entry.ts';
import { StorageFailure } from '../storage-failure.ts';
import type { ValueTransformer } from '../value-transformer.ts';
import { markIn, type Provider } from './provider.ts';

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
  let refused: { readonly by: Buffer; readonly cause: unknown } | undefined;
  for (const [i, { mark, decrypt }] of providers.entries()) {
    if (!mark.equals(bytes.subarray(0, mark.length))) continue;
    try {
      // An array of its own, also where nothing is encrypted: a stale one is marked.
      return { value: decrypt(bytes.subarray(mark.length), key), isStale: i > 0 };
    } catch (cause) {
      if (mark.length > 0) refused = { by: mark, cause };
    }
  }
  const why = refused === undefined ? whyUnknown(bytes) : `the key that is given as ${refused.by.toString()} does not open it: its secret is another one, or the value was changed`;
  throw new StorageFailure('corrupt', `the entry ${key} cannot be decrypted: ${why}`, { cause: refused?.cause });
}

/** Which key is missing: where keys are rotated, one that other servers on the store have already, or have still. */
function whyUnknown(bytes: Buffer): string {
  const mark = markIn(bytes);
  return mark === undefined ? 'it is not encrypted, and identity is not among the providers given' : `it was encrypted as ${mark}, which is not among the providers given`;
}
