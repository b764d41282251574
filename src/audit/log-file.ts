import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { failureText, makeFolder, type Clock, type Log } from '#base';

export interface LogFileOptions {
  readonly path: string;
  /** Size at which the file is rotated. 0: never. */
  readonly maxBytes: number;
  /** Age after which rotated files are deleted. 0: never. */
  readonly maxAgeMs: number;
  /** Number of rotated files to keep. 0: all. */
  readonly maxBackups: number;
  /** Whether rotated files are compressed with gzip. */
  readonly compress: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const OWNER_ONLY = 0o600;
const END_OF_LINE = Buffer.from('\n');

/** A log file with rotation. One call at a time: the caller awaits the last one. */
export class LogFile {
  readonly #options: LogFileOptions;
  #handle: FileHandle | undefined;
  #bytes = 0;
  /** A pipe or device, such as /dev/stdout, is never full, and must stay where it is. */
  #isRegular = false;
  #isClosed = false;
  /** Whether the file ends with an incomplete line. */
  #isCutOff = false;
  #tidying: Promise<void> = Promise.resolve();

  constructor(options: LogFileOptions) {
    this.#options = options;
  }

  /** Opens or makes the file, and deletes what was put aside before, where limits are others now. Rejects with the system's error. */
  async open(): Promise<void> {
    await this.#open();
    if (this.#isRegular) this.#tidyLater(false);
  }

  async #open(): Promise<void> {
    makeFolder(dirname(this.#options.path));
    this.#handle = await open(this.#options.path, 'a+', OWNER_ONLY);
    const found = await this.#handle.stat();
    this.#isRegular = found.isFile();
    this.#bytes = found.size;
    this.#isCutOff = await isCutOff(this.#handle, this.#bytes);
  }

  async append(text: string): Promise<void> {
    if (this.#isClosed) throw new Error('the log was closed');
    const bytes = Buffer.from(text);
    const { maxBytes } = this.#options;
    if (maxBytes > 0 && this.#isRegular && this.#bytes > 0 && this.#bytes + bytes.length > maxBytes) await this.#putAside();
    if (this.#handle === undefined) await this.#open();
    if (this.#isCutOff) await this.#write(END_OF_LINE);
    this.#isCutOff = false;
    await this.#write(bytes);
  }

  /** A failed write may leave a part of it in the file. */
  async #write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#handle?.appendFile(bytes);
      this.#bytes += bytes.length;
    } catch (cause) {
      await this.#letGo().catch(() => {});
      throw cause;
    }
  }

  async #letGo(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** The file is not written any more: a later `append` rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#tidying;
    await this.#letGo();
  }

  /** Rotates the file. A missing file counts as rotated: another program has moved it, or the disk had no room for a new one. */
  async #putAside(): Promise<void> {
    await this.#letGo();
    await rename(this.#options.path, await this.#freeName()).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
    });
    this.#tidyLater(this.#options.compress);
  }

  #tidyLater(packs: boolean): void {
    this.#tidying = this.#tidying.then(() => this.#tidy(packs));
  }

  /** A new name such as `audit-2026-11-21T10-00-00.000.log`; two rotations in one millisecond get different names. */
  async #freeName(): Promise<string> {
    const { path, clock } = this.#options;
    const taken = new Set(await readdir(dirname(path)));
    for (let ms = clock.nowMs(); ; ms++) {
      const name = `${stemOf(path)}-${stampOf(ms)}${extname(path)}`;
      if (!taken.has(name) && !taken.has(`${name}.gz`)) return join(dirname(path), name);
    }
  }

  /**
   * Deletes rotated files beyond age or number, and what is left of compressing; with `packs`, compresses the rest. Failures are logged, cost no event,
   * and keep no other file as it is.
   */
  async #tidy(packs: boolean): Promise<void> {
    const { path, maxAgeMs, maxBackups, clock } = this.#options;
    await this.#orWarn(async () => {
      const isTooOld = (ms: number): boolean => maxAgeMs > 0 && clock.nowMs() - ms > maxAgeMs;
      const names = await readdir(dirname(path));
      for (const name of unfinishedFiles(path, names)) await this.#orWarn(() => rm(join(dirname(path), name), { force: true }));
      const files = asideFiles(path, names).map(({ name, ms }, i) => ({
        file: join(dirname(path), name),
        isOver: (maxBackups > 0 && i >= maxBackups) || isTooOld(ms),
      }));
      // Before anything is compressed: that takes room, which a full disk has only then.
      for (const { file, isOver } of files) if (isOver) await this.#orWarn(() => rm(file, { force: true }));
      for (const { file, isOver } of files) if (packs && !isOver && !file.endsWith('.gz')) await this.#orWarn(() => pack(file));
    });
  }

  async #orWarn(tidy: () => Promise<void>): Promise<void> {
    try {
      await tidy();
    } catch (cause) {
      this.#options.log.warn('old audit logs could not be tidied up', { error: failureText(cause) });
    }
  }
}

/** A full disk, or a killed process, may have left an incomplete line. What is no regular file has no end to check. */
async function isCutOff(handle: FileHandle, bytes: number): Promise<boolean> {
  if (bytes === 0) return false;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, bytes - 1);
  return bytesRead === 1 && !buffer.equals(END_OF_LINE);
}

const stemOf = (path: string): string => basename(path, extname(path));
const stampOf = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replaceAll(':', '-');
const STAMP = /^-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** Rotated files, newest first. Files with merely similar names are not touched. */
function asideFiles(path: string, names: readonly string[]): readonly { readonly name: string; readonly ms: number }[] {
  const stem = stemOf(path);
  const files = names.flatMap((name) => {
    const plain = name.endsWith('.gz') ? name.slice(0, -3) : name;
    if (!plain.startsWith(stem) || !plain.endsWith(extname(path))) return [];
    const [, day, hours, minutes, seconds] = STAMP.exec(plain.slice(stem.length, plain.length - extname(path).length)) ?? [];
    return day === undefined ? [] : [{ name, ms: Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) }];
  });
  return files.sort((a, b) => b.ms - a.ms);
}

const UNFINISHED = '.packing';

/** What a process left that ended while it compressed a rotated file. */
const unfinishedFiles = (path: string, names: readonly string[]): readonly string[] =>
  names.filter((name) => name.endsWith(UNFINISHED) && asideFiles(path, [name.slice(0, -UNFINISHED.length)]).length > 0);

/** The compressed file gets its name only when it is complete and synced to disk. Nothing stays of one that does not get there. */
async function pack(file: string): Promise<void> {
  const unfinished = `${file}${UNFINISHED}`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode: OWNER_ONLY, flush: true }));
    await rename(unfinished, `${file}.gz`);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  }
  await rm(file);
}
