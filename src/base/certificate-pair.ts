/**
 * Throws an `Error` that says what is wrong unless a PEM text begins with the certificate of a private key, perhaps with those of its authorities behind
 * it. OpenSSL alone takes a key of another kind than that of the certificate, as EC for RSA, and every handshake fails then.
 */
export function checkCertificatePair({ cert, key }: { readonly cert: string | Uint8Array; readonly key: string | Uint8Array }): void {
  // Most programs that read a PEM text never need these.
  const [{ createSecureContext }, { X509Certificate, createPrivateKey }] = [process.getBuiltinModule('node:tls'), process.getBuiltinModule('node:crypto')];
  if (ENCRYPTED.test(String(key))) throw new Error('the key has a password, and none can be given here: write it without one, as by openssl pkey');
  const [certText, keyText] = [Buffer.from(cert), Buffer.from(key)];
  createSecureContext({ cert: certText, key: keyText });
  if (!new X509Certificate(certText).checkPrivateKey(createPrivateKey(keyText))) throw new Error('the key is not that of the first certificate');
}

/** Of PKCS #8, and of the older form. */
const ENCRYPTED = /^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;
