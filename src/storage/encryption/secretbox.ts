import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { markOf, type Provider } from './provider.ts';

const NONCE_BYTES = 24;

/** XSalsa20 with Poly1305: a nonce of 24 random bytes, an authentication tag of 16 bytes, the encrypted value. */
export function secretbox(keyName: string, secret: Buffer): Provider {
  return {
    mark: markOf('secretbox', keyName),
    encrypt(value) {
      const nonce = randomBytes(NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(value)]);
    },
    decrypt: (sealed) => xsalsa20poly1305(secret, sealed.subarray(0, NONCE_BYTES)).decrypt(sealed.subarray(NONCE_BYTES)),
  };
}
