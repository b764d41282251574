import { webcrypto } from 'node:crypto';

export type X509 = typeof import('@peculiar/x509');

export const provider = webcrypto;

/** Loads the library with the first request: loading takes longer than the start of the server. */
export async function loadX509(): Promise<X509> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
