import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Checks the page structure of an LMDB file by reading it as a plain file. The library reads pages through a memory map and trusts them: a page that is
 * missing, empty, or in the place of another one crashes the process. So the server makes this check before LMDB maps the file.
 *
 * The file format (64-bit, little endian) is that of the library in use, data version 2: a page begins with its number (8 bytes), a transaction (8),
 * padding (2), flags (2), and the ends of its list of nodes and of its free space (2 each), both counted from the end of this header.
 */

const HEADER = 24;
export const META_PAGES = 2;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const UPPER_AT = 22;
/** In an overflow page: the number of its pages, in place of the two ends. */
const PAGES_AT = 20;

const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const KINDS = 15;

/** A node: two numbers of 2 bytes, flags (2), length of the key (2), key, data. */
const NODE = 8;
const IS_BIG = 1;
const IS_TREE = 2;
/** The reference to data on overflow pages: page, transaction, number of pages. */
const BIG_BYTES = 24;

/** Offsets in the description of a tree (48 bytes). */
const TREE = { depthAt: 6, entriesAt: 32, rootAt: 40 } as const;
/** Offsets in a meta page. It holds the descriptions of two trees: the free pages, beginning with the page size, and the named tables. */
export const META = { magicAt: 24, magic: 0xbeefc0de, versionAt: 28, version: 2, freeAt: 48, namesAt: 96, lastPageAt: 144, transactionAt: 152, bytes: 160 } as const;
const NO_PAGE = 2n ** 64n - 1n;

/** In such blocks the system says how much of a disk a file takes, whatever blocks the disk has. */
const SYSTEM_BLOCK_BYTES = 512;

class Damage extends Error {}

/**
 * The first damage among the pages of the newest transaction; undefined: none. Throws the error of the system. While it runs, a writer must be kept from
 * reusing these pages. `roots`: checks only the few pages that list the tables, and the root page of each; all pages if the file is too short.
 */
export function pageDamage(path: string, which: 'all' | 'roots'): string | undefined {
  const descriptor = openSync(path, 'r');
  try {
    const file = new PageFile(descriptor);
    const areRootsEnough = which === 'roots' && !file.isShort;
    file.walk(file.meta, META.freeAt, areRootsEnough);
    file.walk(file.meta, META.namesAt, false, areRootsEnough);
    return undefined;
  } catch (cause) {
    if (cause instanceof Damage) return cause.message;
    // An offset in the page points beyond its end.
    if (cause instanceof RangeError) return 'a page cannot be read';
    throw cause;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Where the pages of the newest transaction end in an open file, where the file does, and how much of it has no place on the disk yet. Throws the error
 * of the system.
 */
export function pageSpace(descriptor: number): { readonly usedBytes: number; readonly fileBytes: number; readonly holeBytes: number } {
  const { lastPage, pageBytes, bytes, holeBytes } = new PageFile(descriptor);
  return { usedBytes: (lastPage + 1) * pageBytes, fileBytes: bytes, holeBytes };
}

/** A run of free pages that lie one behind the other. */
export interface Run {
  readonly first: number;
  readonly pages: number;
}

/** Where free pages may be used again. */
export interface FreeRuns {
  readonly pageBytes: number;
  /** By their place in the file; no two of them touch. */
  readonly runs: readonly Run[];
}

/**
 * The free pages of an open file that the next transaction may write to, when `oldest` is the oldest transaction that somebody reads: what that one and
 * later ones have freed stays. Of a long list of them only the newest `maxEntries` are looked at. At most one transaction may be committed meanwhile.
 * Throws the error of the system, and where a page cannot be read.
 */
export function freeRuns(descriptor: number, oldest: number, maxEntries: number): FreeRuns {
  const file = new PageFile(descriptor);
  const before = Math.min(oldest, numberAt(file.meta, META.transactionAt));
  const found: Run[] = [];
  let entries = 0;
  for (const { transaction, list } of file.freeLists()) {
    if (transaction >= before) continue;
    found.push(...runsOf(list));
    entries += list.length / 8;
    if (entries > maxEntries) break;
  }
  return { pageBytes: file.pageBytes, runs: joined(found) };
}

/** A list of pages begins with the number of its words. A word is a page, or 0, or below 0: that many pages begin at the page in the next word. */
function* runsOf(list: Buffer): Generator<Run> {
  const words = Math.min(numberAt(list, 0), list.length / 8 - 1);
  let pages = 1;
  for (let i = 1; i <= words; i++) {
    const word = Number(list.readBigInt64LE(i * 8));
    if (word > 0) yield { first: word, pages };
    pages = word < 0 ? -word : 1;
  }
}

/** LMDB joins runs that touch, of different lists too. */
function joined(found: Run[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { first, pages } of found.sort((a, b) => a.first - b.first)) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last.first + last.pages === first) runs[runs.length - 1] = { first: last.first, pages: last.pages + pages };
    else runs.push({ first, pages });
  }
  return runs;
}

class PageFile {
  readonly pageBytes: number;
  /** The newer one of the two meta pages. */
  readonly meta: Buffer;
  readonly lastPage: number;
  /** The size of the file, read after the meta page, which is written last. */
  readonly bytes: number;
  readonly holeBytes: number;
  readonly #descriptor: number;
  #visited = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    const first = this.#read(0, META.bytes);
    this.pageBytes = first.readUInt32LE(META.freeAt);
    const metas = [first, this.#read(this.pageBytes, META.bytes)].filter((meta) => meta.readUInt32LE(META.magicAt) === META.magic);
    this.meta = metas.reduce((newest, meta) => (numberAt(meta, META.transactionAt) > numberAt(newest, META.transactionAt) ? meta : newest), first);
    this.lastPage = numberAt(this.meta, META.lastPageAt);
    const { size, blocks } = fstatSync(descriptor);
    this.bytes = size;
    this.holeBytes = Math.max(0, size - blocks * SYSTEM_BLOCK_BYTES);
  }

  /** Whether the file ends before its last page. That is allowed: free pages at the end may never have been written. */
  get isShort(): boolean {
    return this.bytes < (this.lastPage + 1) * this.pageBytes;
  }

  /**
   * Checks the tree described at `at` of `from`, and the trees that its nodes describe. `isRootAlone`: only its root page. `areTheirsAlone`: of the trees
   * in its nodes only the root pages. Throws `Damage`.
   */
  walk(from: Buffer, at: number, isRootAlone = false, areTheirsAlone = false): void {
    const root = from.readBigUInt64LE(at + TREE.rootAt);
    if (root === NO_PAGE) return;
    const depth = from.readUInt16LE(at + TREE.depthAt);
    if (isRootAlone) return void this.#page(Number(root), depth > 1 ? BRANCH : LEAF);
    const entries = this.#subtree(Number(root), depth, areTheirsAlone);
    const promised = numberAt(from, at + TREE.entriesAt);
    if (entries !== promised) throw new Damage(`a table holds ${entries} entries and should hold ${promised}`);
  }

  /** The lists of free pages, the newest first: `transaction` freed them, or an earlier one. Throws `Damage`. */
  *freeLists(): Generator<{ readonly transaction: number; readonly list: Buffer }> {
    const root = this.meta.readBigUInt64LE(META.freeAt + TREE.rootAt);
    if (root === NO_PAGE) return;
    for (const node of this.#nodesBackwards(Number(root), this.meta.readUInt16LE(META.freeAt + TREE.depthAt))) {
      const dataBytes = node.readUInt32LE(0);
      const dataAt = NODE + node.readUInt16LE(6);
      const isBig = (node.readUInt16LE(4) & IS_BIG) !== 0;
      const list = isBig ? this.#read(numberAt(node, dataAt) * this.pageBytes + HEADER, dataBytes) : node.subarray(dataAt, dataAt + dataBytes);
      yield { transaction: numberAt(node, NODE), list };
    }
  }

  *#nodesBackwards(number: number, depth: number): Generator<Buffer> {
    const page = this.#page(number, depth > 1 ? BRANCH : LEAF);
    for (let i = page.readUInt16LE(LOWER_AT) / 2 - 1; i >= 0; i--) {
      const node = page.subarray(HEADER + page.readUInt16LE(HEADER + i * 2));
      if (depth > 1) yield* this.#nodesBackwards(childOf(node), depth - 1);
      else yield node;
    }
  }

  /** Checks a subtree of `depth` levels and returns the number of its entries. */
  #subtree(number: number, depth: number, areRootsAlone: boolean): number {
    const page = this.#page(number, depth > 1 ? BRANCH : LEAF);
    const [lower, upper] = [page.readUInt16LE(LOWER_AT), page.readUInt16LE(UPPER_AT)];
    const room = this.pageBytes - HEADER;
    if (lower % 2 !== 0 || lower > upper || upper > room) throw new Damage(`page ${number} cannot be read`);
    const nodes = lower / 2;
    let entries = depth > 1 ? 0 : nodes;
    for (let i = 0; i < nodes; i++) {
      const start = page.readUInt16LE(HEADER + i * 2);
      if (start < upper || start + NODE > room) throw new Damage(`page ${number} cannot be read`);
      const node = page.subarray(HEADER + start);
      if (depth > 1) entries += this.#subtree(childOf(node), depth - 1, areRootsAlone);
      else this.#leafNode(number, node, areRootsAlone);
    }
    return entries;
  }

  #leafNode(number: number, node: Buffer, areRootsAlone: boolean): void {
    const flags = node.readUInt16LE(4);
    const dataAt = NODE + node.readUInt16LE(6);
    const dataBytes = node.readUInt32LE(0);
    const isBig = (flags & IS_BIG) !== 0;
    if (dataAt + (isBig ? BIG_BYTES : dataBytes) > node.length) throw new Damage(`page ${number} cannot be read`);
    if (isBig) this.#overflow(numberAt(node, dataAt), dataBytes);
    else if ((flags & IS_TREE) !== 0) this.walk(Buffer.from(node.subarray(dataAt)), 0, areRootsAlone);
  }

  #overflow(number: number, dataBytes: number): void {
    const page = this.#page(number, OVERFLOW);
    const pages = page.readUInt32LE(PAGES_AT);
    if (pages * this.pageBytes < HEADER + dataBytes) throw new Damage(`page ${number} cannot be read`);
    if ((number + pages) * this.pageBytes > this.bytes) throw new Damage(`page ${number + pages - 1} is missing`);
  }

  #page(number: number, kind: number): Buffer {
    if (number < META_PAGES || number > this.lastPage || ++this.#visited > this.lastPage) throw new Damage(`there is no page ${number}`);
    if ((number + 1) * this.pageBytes > this.bytes) throw new Damage(`page ${number} is missing`);
    const page = this.#read(number * this.pageBytes, this.pageBytes);
    if (numberAt(page, 0) !== number || (page.readUInt16LE(FLAGS_AT) & KINDS) !== kind) throw new Damage(`page ${number} holds something else`);
    return page;
  }

  #read(at: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    readSync(this.#descriptor, buffer, 0, bytes, at);
    return buffer;
  }
}

/** The page that a node of a branch leads to. */
const childOf = (node: Buffer): number => node.readUInt16LE(0) + node.readUInt16LE(2) * 2 ** 16 + node.readUInt16LE(4) * 2 ** 32;

/** An unsigned 64-bit number; exact for every number that occurs in a file that can exist. */
const numberAt = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
