import { aesCbc, aesGcm } from './aes.ts';
import { identity } from './identity.ts';
import type { Provider } from './provider.ts';

export type ProviderName = 'aescbc' | 'aesgcm' | 'secretbox' | 'identity';

interface Algorithm {
  /** The allowed lengths of a key. */
  readonly keyBytes: readonly number[];
  /** Makes the provider; loads the library that it needs. */
  readonly create: (keyName: string, secret: Buffer) => Promise<Provider>;
}

const AES_KEYS = [16, 24, 32];

/** The providers that an encryption configuration can name, beside `identity`. */
const ALGORITHMS: Readonly<Record<Exclude<ProviderName, 'identity'>, Algorithm>> = {
  aescbc: { keyBytes: AES_KEYS, create: async (name, secret) => aesCbc(name, secret) },
  aesgcm: { keyBytes: AES_KEYS, create: async (name, secret) => aesGcm(name, secret) },
  secretbox: { keyBytes: [32], create: async (name, secret) => (await import('./secretbox.ts')).secretbox(name, secret) },
};

/** A provider with one key. Throws `RangeError` for a key of the wrong length. */
export async function createProvider(algorithm: ProviderName, keyName: string, secret: Uint8Array): Promise<Provider> {
  if (algorithm === 'identity') return identity;
  const { keyBytes, create } = ALGORITHMS[algorithm];
  if (!keyBytes.includes(secret.length)) throw new RangeError(`a key of ${algorithm} has ${keyBytes.join(', ')} bytes, this one has ${secret.length}`);
  return create(keyName, Buffer.from(secret));
}

export const PROVIDER_NAMES: readonly ProviderName[] = ['identity', ...(Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[])];
