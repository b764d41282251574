import { ENCRYPTED, type Provider } from './provider.ts';

/** The provider that does not encrypt. Refuses to read values that another provider encrypted. */
export const identity: Provider = {
  mark: Buffer.alloc(0),
  encrypt: (value) => value,
  decrypt(kept) {
    if (ENCRYPTED.compare(kept, 0, Math.min(ENCRYPTED.length, kept.length)) === 0) throw new Error('it is encrypted');
    return kept;
  },
};
