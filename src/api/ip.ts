/** IP addresses and blocks as texts. Leading zeros in IPv4 parts are taken as decimal, as Kubernetes 1.23 does. */
import type { Faults } from './names.ts';

/** 4 or 16 bytes. */
export type IpBytes = readonly number[];

/** A block of addresses, as `10.0.0.0/16` names it. */
export interface IpBlock {
  /** With the bits beyond the prefix cleared. */
  readonly network: IpBytes;
  readonly prefixLength: number;
}

const MAX_TEXT = 64;

/** Bytes of an address, or undefined. Zones (`%eth0`) are not taken. */
export function parseIp(text: string): IpBytes | undefined {
  if (text.length > MAX_TEXT) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

const DOT = 0x2e;
const ZERO = 0x30;

/** Character by character: an EndpointSlice may have a hundred thousand. */
function parseIpv4(text: string): IpBytes | undefined {
  const bytes: number[] = [];
  let byte: number | undefined;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (byte === undefined || bytes.length === 3) return undefined;
      bytes.push(byte);
      byte = undefined;
    } else {
      const digit = code - ZERO;
      if (digit < 0 || digit > 9) return undefined;
      byte = (byte ?? 0) * 10 + digit;
      if (byte > 255) return undefined;
    }
  }
  if (byte === undefined || bytes.length !== 3) return undefined;
  bytes.push(byte);
  return bytes;
}

function parseIpv6(text: string): IpBytes | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const front = parseGroups(halves[0] ?? '', halves.length === 1);
  const back = halves.length === 2 ? parseGroups(halves[1] ?? '', true) : [];
  if (front === undefined || back === undefined) return undefined;
  const missing = 16 - front.length - back.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return [...front, ...Array.from({ length: missing }, () => 0), ...back];
}

/** Groups of hexadecimal digits; the last of the address may be an IPv4 address. */
function parseGroups(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [at, group] of groups.entries()) {
    if (isLast && at === groups.length - 1 && group.includes('.')) {
      const tail = parseIpv4(group);
      if (tail === undefined) return undefined;
      bytes.push(...tail);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}

/** `address/prefixLength`, or undefined. */
export function parseCidr(text: string): IpBlock | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const ip = parseIp(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (ip === undefined || !/^\d{1,9}$/.test(digits)) return undefined;
  const prefixLength = Number(digits);
  return prefixLength > ip.length * 8 ? undefined : { network: maskIp(ip, prefixLength), prefixLength };
}

function maskIp(ip: IpBytes, prefixLength: number): IpBytes {
  return ip.map((byte, at) => byte & (0xff00 >> Math.max(0, Math.min(8, prefixLength - at * 8))) & 0xff);
}

/** Whether an address lies in a block. Families never mix. */
export function blockHas(block: IpBlock, ip: IpBytes): boolean {
  if (ip.length !== block.network.length) return false;
  const masked = maskIp(ip, block.prefixLength);
  return block.network.every((byte, at) => byte === masked[at]);
}

/** An IPv6 address that only wraps an IPv4 one counts as IPv4. */
export function isIpv4(ip: IpBytes): boolean {
  return ip.length === 4 || ip.every((byte, at) => at >= 12 || byte === (at < 10 ? 0 : 255));
}

/** The address that an IPv6 one wraps, or itself. */
export const bareIp = (ip: IpBytes): IpBytes => (isIpv4(ip) ? ip.slice(-4) : ip);

/** The family of an address; undefined: the text is none. */
export function familyOf(text: string): 'IPv4' | 'IPv6' | undefined {
  const ip = parseIp(text);
  return ip === undefined ? undefined : isIpv4(ip) ? 'IPv4' : 'IPv6';
}

/** An address of either family. */
export function checkIp(value: string): Faults {
  return parseIp(value) === undefined ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : undefined;
}

/** A block of addresses of either family. */
export function checkCidr(value: string): Faults {
  return parseCidr(value) === undefined ? ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'] : undefined;
}
