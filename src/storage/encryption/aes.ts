import { createCipheriv, createDecipheriv, randomBytes, type CipherGCMTypes } from 'node:crypto';
import { markOf, type Provider } from './provider.ts';

const BLOCK_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-CBC: an initialization vector of 16 random bytes, then the encrypted value, padded as in PKCS #7. */
export function aesCbc(keyName: string, secret: Buffer): Provider {
  const algorithm = `aes-${secret.length * 8}-cbc`;
  return {
    mark: markOf('aescbc', keyName),
    encrypt(value) {
      const start = randomBytes(BLOCK_BYTES);
      const cipher = createCipheriv(algorithm, secret, start);
      return Buffer.concat([start, cipher.update(value), cipher.final()]);
    },
    decrypt(sealed) {
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, BLOCK_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(BLOCK_BYTES)), decipher.final()]);
    },
  };
}

/** AES-GCM: a nonce of 12 random bytes, the encrypted value, and an authentication tag of 16 bytes, which covers the key of the entry as well. */
export function aesGcm(keyName: string, secret: Buffer): Provider {
  const algorithm = `aes-${secret.length * 8}-gcm` as CipherGCMTypes;
  return {
    mark: markOf('aesgcm', keyName),
    encrypt(value, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(sealed, place) {
      const tagAt = sealed.length - TAG_BYTES;
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(tagAt));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
    },
  };
}
