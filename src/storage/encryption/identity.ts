import { isEncrypted, type Provider } from './provider.ts';

/** The provider that does not encrypt. Refuses to read values that another provider encrypted. */
export const identity: Provider = {
  mark: Buffer.alloc(0),
  encrypt: (value) => value,
  decrypt(kept) {
    if (isEncrypted(kept)) throw new Error('it is encrypted');
    return kept;
  },
};
