import { blockHas, parseCidr, parseIp, type IpBlock } from '#api';
import { NumberPool } from './number-pool.ts';

export type Family = 'IPv4' | 'IPv6';

/** The most addresses that are given out; what lies beyond in a larger block stays unused. */
const MOST_BITS: Readonly<Record<Family, number>> = { IPv4: 20, IPv6: 16 };

/** Addresses of services: those of a block but its first, and in IPv4 its last. */
export class ClusterIps {
  readonly range: string;
  readonly family: Family;
  readonly #block: IpBlock;
  readonly #pool: NumberPool;

  /** `bits`: what was taken. Throws where the text is no block, or one without room for an address, or an IPv4 block of more than a million. */
  constructor(range: string, bits?: Uint8Array) {
    const block = parseCidr(range);
    if (block === undefined) throw new Error(`a service range is a block of addresses such as 10.0.0.0/16, not ${range}`);
    this.family = block.network.length === 4 ? 'IPv4' : 'IPv6';
    const freeBits = block.network.length * 8 - block.prefixLength;
    if (freeBits < 2) throw new Error(`a service range has at least 4 addresses, ${range} has fewer`);
    if (this.family === 'IPv4' && freeBits > MOST_BITS.IPv4) throw new Error(`a service range of IPv4 has at most 2^${MOST_BITS.IPv4} addresses, ${range} has more`);
    this.range = range;
    this.#block = block;
    this.#pool = new NumberPool(2 ** Math.min(freeBits, MOST_BITS[this.family]) - (this.family === 'IPv4' ? 2 : 1), bits);
  }

  get bits(): Uint8Array {
    return this.#pool.bits;
  }

  /** What a dry-run shows in place of an address that would be chosen. */
  get placeholder(): string {
    return toText(this.#block.network);
  }

  /** The address that the API itself has. */
  get first(): string {
    return this.#at(0);
  }

  has(text: string): boolean {
    return this.#offset(text) !== undefined;
  }

  /** Why the address cannot be had; undefined: it can. */
  refusal(text: string): string | undefined {
    const offset = this.#offset(text);
    if (offset === undefined) return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${this.range}`;
    return this.#pool.isTaken(offset) ? 'provided IP is already allocated' : undefined;
  }

  /** Whether it could be had. */
  take(text: string): boolean {
    const offset = this.#offset(text);
    return offset !== undefined && this.#pool.take(offset);
  }

  /** undefined when all are taken. */
  takeAny(): string | undefined {
    const offset = this.#pool.takeAny();
    return offset === undefined ? undefined : this.#at(offset);
  }

  giveBack(text: string): void {
    const offset = this.#offset(text);
    if (offset !== undefined) this.#pool.giveBack(offset);
  }

  *taken(): Iterable<string> {
    for (const offset of this.#pool.taken()) yield this.#at(offset);
  }

  /** From the second address of the block on. */
  #offset(text: string): number | undefined {
    const ip = parseIp(text);
    if (ip === undefined || !blockHas(this.#block, ip)) return undefined;
    const { network } = this.#block;
    // Beyond 2^20 the difference is too large to be of the range, whatever its exact value.
    const offset = ip.reduce((sum, byte, at) => sum * 256 + (byte - (network[at] ?? 0)), 0) - 1;
    return this.#pool.includes(offset) ? offset : undefined;
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

/** IPv6 with its longest run of zeros left out, as RFC 5952 wants it. */
function toText(ip: readonly number[]): string {
  if (ip.length === 4) return ip.join('.');
  const groups = Array.from({ length: 8 }, (_, at) => (((ip[2 * at] ?? 0) << 8) | (ip[2 * at + 1] ?? 0)).toString(16));
  const runs = [...groups.map((group) => (group === '0' ? '0' : 'x')).join('').matchAll(/00+/g)];
  const longest = runs.reduce<RegExpMatchArray | undefined>((best, run) => (best === undefined || run[0].length > best[0].length ? run : best), undefined);
  if (longest?.index === undefined) return groups.join(':');
  return `${groups.slice(0, longest.index).join(':')}::${groups.slice(longest.index + longest[0].length).join(':')}`;
}
