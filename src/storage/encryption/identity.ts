import { ENCRYPTED, type Provider } from './provider.ts';

/** Values as they are. */
export const identity: Provider = {
  mark: Buffer.alloc(0),
  encrypt: (value) => value,
  decrypt(kept) {
    if (ENCRYPTED.compare(kept, 0, Math.min(ENCRYPTED.length, kept.length)) === 0) throw new Error('it is encrypted');
    return kept;
  },
};
