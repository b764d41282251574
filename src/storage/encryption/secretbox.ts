import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { markOf, type Provider } from './provider.ts';

const NONCE_BYTES = 24;

/** XSalsa20 with Poly1305: 24 random bytes, 16 that vouch for the value, the value. */
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
