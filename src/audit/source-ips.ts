import { isIP } from 'node:net';
import type { Received } from '#request';

/** More than so many proxies in a row do not exist. */
const MAX_ADDRESSES = 32;

/**
 * Where a request came from, as far as is said: what proxies say first, the other end of the connection last. Only the last one cannot be
 * made up by the client. What is no address is passed over.
 * @spec 6
 */
export function sourceIps({ headers, remoteAddress }: Pick<Received, 'headers' | 'remoteAddress'>): readonly string[] {
  const addresses = (headers.get('x-forwarded-for')?.[0] ?? '').split(',', MAX_ADDRESSES).map(plain).filter(isAddress);
  const real = plain(headers.get('x-real-ip')?.[0] ?? '');
  if (isAddress(real) && !addresses.includes(real)) addresses.push(real);
  const remote = plain(remoteAddress ?? '');
  if (isAddress(remote) && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

/** Sockets that take both families write the older ones inside the newer. */
const MAPPED = /^::ffff:(?=\d+\.)/i;
const plain = (text: string): string => text.trim().replace(MAPPED, '');
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');
