import { isIP } from 'node:net';
import type { Received } from '#request';

/** More proxies in a row do not occur. */
const MAX_ADDRESSES = 32;

/**
 * The source IPs of a request: first those that proxy headers name, last the peer of the connection. Only the last one cannot be forged by the
 * client. Values that are no addresses are skipped.
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

/** Dual-stack sockets report IPv4 addresses as IPv4-mapped IPv6 addresses. */
const MAPPED = /^::ffff:(?=\d+\.)/i;
const plain = (text: string): string => text.trim().replace(MAPPED, '');
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');
