import { blockHas, parseCidr, parseIp, type IpBlock } from '#api';
import { NumberPool } from './number-pool.ts';

/** Addresses of services: those of an IPv4 block but its first and last. */
export class ClusterIps {
  readonly range: string;
  readonly #block: IpBlock;
  readonly #pool: NumberPool;

  /** Throws where the text is no IPv4 block, or one without room for an address. */
  constructor(range: string) {
    const block = parseCidr(range);
    if (block?.network.length !== 4 || block.prefixLength > 30) throw new Error(`a service range is an IPv4 block of at least 4 addresses, not ${range}`);
    this.range = range;
    this.#block = block;
    const network = toNumber(block.network);
    this.#pool = new NumberPool(network + 1, network + 2 ** (32 - block.prefixLength) - 2);
  }

  /** What a dry-run shows in place of an address that would be chosen. */
  get placeholder(): string {
    return toText(toNumber(this.#block.network));
  }

  /** Why the address cannot be had; undefined: it can. */
  refusal(text: string): string | undefined {
    const ip = parseIp(text);
    if (ip === undefined || !blockHas(this.#block, ip) || !this.#pool.includes(toNumber(ip))) {
      return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${this.range}`;
    }
    return this.#pool.isTaken(toNumber(ip)) ? 'provided IP is already allocated' : undefined;
  }

  /** Whether it could be had. */
  take(text: string): boolean {
    const ip = parseIp(text);
    return ip?.length === 4 && this.#pool.take(toNumber(ip));
  }

  /** undefined when all are taken. */
  takeAny(): string | undefined {
    const value = this.#pool.takeAny();
    return value === undefined ? undefined : toText(value);
  }

  giveBack(text: string): void {
    const ip = parseIp(text);
    if (ip?.length === 4) this.#pool.giveBack(toNumber(ip));
  }
}

const toNumber = (ip: readonly number[]): number => ip.reduce((sum, byte) => sum * 256 + byte, 0);
const toText = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
