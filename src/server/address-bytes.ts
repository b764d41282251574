import { isIP } from 'node:net';

const GROUPS = 8;

/** The 4 or 16 bytes of an address; undefined for any other text, addresses with a zone among them. */
export function addressBytes(text: string): Buffer | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  if (version === 4) return Buffer.from(text.split('.').map(Number));
  // In its shortest form, in which no group is decimal.
  const shortest = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [left = [], right = []] = shortest.split('::').map((side) => (side === '' ? [] : side.split(':')));
  const zeros = Array.from({ length: GROUPS - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
