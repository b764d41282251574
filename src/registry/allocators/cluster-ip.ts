import { bareIp, blockHas, parseCidr, parseIp, type IpBlock } from '#api';
import type { NumberPool } from './number-pool.ts';
import { poolFrom, type RangeAllocation } from './range-allocation.ts';

export type Family = 'IPv4' | 'IPv6';

/** The most addresses that are allocated, as a power of two; the rest of a larger block stays unused. */
const MOST_BITS: Readonly<Record<Family, number>> = { IPv4: 20, IPv6: 16 };

/** The cluster IPs of one range: all addresses of the block but the first, and in IPv4 the last. */
export class ClusterIps {
  readonly range: string;
  readonly family: Family;
  readonly pool: NumberPool;
  readonly #block: IpBlock;

  /** `stored`: what is allocated. Throws when the text is not a CIDR, or the block has fewer than 4 addresses, or in IPv4 more than 2^20. */
  constructor(range: string, stored?: RangeAllocation) {
    const block = parseCidr(range);
    if (block === undefined) throw new Error(`a service range is a block of addresses such as 10.0.0.0/16, not ${range}`);
    this.family = block.network.length === 4 ? 'IPv4' : 'IPv6';
    const freeBits = block.network.length * 8 - block.prefixLength;
    if (freeBits < 2) throw new Error(`a service range has at least 4 addresses, ${range} has fewer`);
    if (this.family === 'IPv4' && freeBits > MOST_BITS.IPv4) throw new Error(`a service range of IPv4 has at most 2^${MOST_BITS.IPv4} addresses, ${range} has more`);
    this.range = `${toText(block.network)}/${block.prefixLength}`;
    this.#block = block;
    this.pool = poolFrom(2 ** Math.min(freeBits, MOST_BITS[this.family]) - (this.family === 'IPv4' ? 2 : 1), this.range, stored);
  }

  /** The address that a dry-run shows in place of one that would be allocated; undefined: there is none left. */
  get placeholder(): string | undefined {
    return this.pool.isFull ? undefined : toText(this.#block.network);
  }

  /** The first usable address, which the `kubernetes` service has. */
  get first(): string {
    return this.#at(0);
  }

  has(text: string): boolean {
    return this.#offset(text) !== undefined;
  }

  /** The address as `allocated` spells it; undefined: it is not in the range. */
  canonical(text: string): string | undefined {
    const offset = this.#offset(text);
    return offset === undefined ? undefined : this.#at(offset);
  }

  /** Why the address cannot be allocated; undefined: it can. */
  refusal(text: string): string | undefined {
    const offset = this.#offset(text);
    if (offset === undefined) return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${this.range}`;
    return this.pool.isAllocated(offset) ? 'provided IP is already allocated' : undefined;
  }

  /** Allocates an address; false: it is not in the range, or already allocated. */
  allocate(text: string): boolean {
    const offset = this.#offset(text);
    return offset !== undefined && this.pool.allocate(offset);
  }

  /** Allocates any free address; undefined: there is none. */
  allocateNext(): string | undefined {
    const offset = this.pool.allocateNext();
    return offset === undefined ? undefined : this.#at(offset);
  }

  release(text: string): void {
    const offset = this.#offset(text);
    if (offset !== undefined) this.pool.release(offset);
  }

  *allocated(): Iterable<string> {
    for (const offset of this.pool.allocated()) yield this.#at(offset);
  }

  /** The offset of an address, counted from the second address of the block; undefined: it is not in the range. */
  #offset(text: string): number | undefined {
    const given = parseIp(text);
    // However it is spelled, it is one address.
    const ip = given && bareIp(given);
    if (ip === undefined || !blockHas(this.#block, ip)) return undefined;
    const { network } = this.#block;
    // For IPv6 the sum may be inexact, but then it is far beyond the range.
    const offset = ip.reduce((sum, byte, at) => sum * 256 + (byte - (network[at] ?? 0)), 0) - 1;
    return this.pool.includes(offset) ? offset : undefined;
  }

  #at(offset: number): string {
    const bytes = [...this.#block.network];
    let rest = offset + 1;
    for (let at = bytes.length - 1; at >= 0 && rest > 0; at--) {
      rest += bytes[at] ?? 0;
      bytes[at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    return toText(bytes);
  }
}

/** The text of an address; in IPv6 with the longest run of zeros compressed, as in RFC 5952. */
function toText(ip: readonly number[]): string {
  if (ip.length === 4) return ip.join('.');
  const groups = Array.from({ length: 8 }, (_, at) => (((ip[2 * at] ?? 0) << 8) | (ip[2 * at + 1] ?? 0)).toString(16));
  const runs = [...groups.map((group) => (group === '0' ? '0' : 'x')).join('').matchAll(/00+/g)];
  const longest = runs.reduce<RegExpMatchArray | undefined>((best, run) => (best === undefined || run[0].length > best[0].length ? run : best), undefined);
  if (longest?.index === undefined) return groups.join(':');
  return `${groups.slice(0, longest.index).join(':')}::${groups.slice(longest.index + longest[0].length).join(':')}`;
}
