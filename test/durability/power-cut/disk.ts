import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Note } from '../disk-calls/recording.ts';

/** What a disk writes as a whole or not at all. */
const SECTOR_BYTES = 512;

/** What was done to the bytes of a file; nobody knows yet whether it is on the disk, unless it says so. */
type Change = { isFlushed: boolean } & ({ readonly offset: number; readonly bytes: Buffer } | { readonly size: number });

interface Flush {
  readonly file: DiskFile;
  /** It covers the changes up to here. */
  readonly upTo: number;
}

/** Bytes that grow in place: a file grows by a page at a time. */
class Content {
  #room: Buffer;
  #length: number;

  constructor(bytes: Buffer) {
    this.#room = Buffer.allocUnsafeSlow(bytes.length);
    this.#length = bytes.copy(this.#room);
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** Of what the change did, only that which `survives` says of, once for each sector and each new size. */
  apply(change: Change, survives: () => boolean): void {
    if ('size' in change) {
      if (survives()) this.#resize(change.size);
      return;
    }
    for (let from = 0; from < change.bytes.length;) {
      const at = change.offset + from;
      const sector = change.bytes.subarray(from, from + SECTOR_BYTES - (at % SECTOR_BYTES));
      if (survives()) {
        this.#resize(Math.max(this.#length, at + sector.length));
        sector.copy(this.#room, at);
      }
      from += sector.length;
    }
  }

  #resize(length: number): void {
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(2 * length);
      this.bytes.copy(room);
      this.#room = room;
    }
    if (length > this.#length) this.#room.fill(0, this.#length, length);
    this.#length = length;
  }
}

/** The bytes of a file that are certain, and what was done to them since. */
class DiskFile {
  readonly #certain: Content;
  readonly #changes: Change[] = [];
  /** How many changes have become part of what is certain. */
  #settled = 0;

  constructor(bytes: Buffer) {
    this.#certain = new Content(bytes);
  }

  get changes(): number {
    return this.#settled + this.#changes.length;
  }

  change(change: Change): void {
    this.#changes.push(change);
    this.#settle();
  }

  flushed(upTo: number): void {
    for (const change of this.#changes.slice(0, Math.max(0, upTo - this.#settled))) change.isFlushed = true;
    this.#settle();
  }

  /** Its bytes when of what is not certain only that is there which `survives` says of. */
  after(survives: () => boolean): Buffer {
    const content = new Content(this.#certain.bytes);
    for (const change of this.#changes) content.apply(change, change.isFlushed ? () => true : survives);
    return content.bytes;
  }

  /** Only from the beginning: what lies behind a change that is not certain may yet be overwritten by it. */
  #settle(): void {
    const uncertain = this.#changes.findIndex(({ isFlushed }) => !isFlushed);
    const settled = this.#changes.splice(0, uncertain < 0 ? this.#changes.length : uncertain);
    for (const change of settled) this.#certain.apply(change, () => true);
    this.#settled += settled.length;
  }
}

/**
 * A folder on a disk with a cache of writes: what was not flushed may be there or not when the power fails, each sector by itself. That files come
 * and go and change their names counts as certain at once.
 */
export class Disk {
  readonly #files = new Map<string, DiskFile>();
  readonly #flushes = new Map<number, Flush>();

  /** The files of a folder as they are, all certain. */
  constructor(folder: string) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isFile()) this.#files.set(join(folder, entry.name), new DiskFile(readFileSync(join(folder, entry.name))));
    }
  }

  do(note: Exclude<Note, { readonly kind: 'told' }>): void {
    const file = this.#files.get(note.path) ?? new DiskFile(Buffer.alloc(0));
    if (note.kind === 'removed') this.#files.delete(note.path);
    else this.#files.set(note.path, file);
    if (note.kind === 'opened' && note.truncates) file.change({ size: 0, isFlushed: false });
    else if (note.kind === 'written') file.change({ offset: note.offset, bytes: note.bytes, isFlushed: note.isFlushed });
    else if (note.kind === 'resized') file.change({ size: note.bytes, isFlushed: false });
    else if (note.kind === 'flush-begun') this.#flushes.set(note.flush, { file, upTo: file.changes });
    else if (note.kind === 'flushed') this.#flushed(note.flush);
    else if (note.kind === 'renamed') {
      this.#files.delete(note.path);
      this.#files.set(note.to, file);
    }
  }

  /** Writes to `folder` what a machine would find in `of` when its power failed now. */
  cut(of: string, folder: string, survives: () => boolean): void {
    for (const [path, file] of this.#files) {
      const target = join(folder, relative(of, path));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, file.after(survives));
    }
  }

  #flushed(number: number): void {
    const flush = this.#flushes.get(number);
    flush?.file.flushed(flush.upTo);
    this.#flushes.delete(number);
  }
}
