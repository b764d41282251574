import { createReadStream } from 'node:fs';
import { lstat, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { compareUtf8, failureText } from '#base';
import { MAX_RESTORED_REVISION } from '../damage.ts';
import type { KeptEntry } from '../driver.ts';
import type { Revision } from '../entry.ts';
import { isTooLong, tooLongText } from '../longest-key.ts';
import { StorageFailure } from '../storage-failure.ts';
import { bodyLength, checkBody, decodeEntry, encodeEntry, FRAME_HEADER, frame } from './frames.ts';
import { renameDurably } from './rename-durably.ts';
import { RevisionsSeen } from './revisions-seen.ts';

/** The first bytes of a backup. The number is raised when older programs could not read the new format. */
const MAGIC = 'store backup 1\n';
/** What those of every other format begin with. */
const IS_NEWER = /^store backup (?!1\n)\d/;
/** The size of the chunks that are written and read. */
const WRITE_BYTES = 1024 * 1024;

/** The content of the first frame. */
export interface BackupHeader {
  readonly revision: Revision;
  readonly count: number;
  readonly madeAtMs: number;
}

export interface Backup extends BackupHeader {
  /**
   * The entries in key order. Throws `StorageFailure` (`corrupt`) where a checksum does not match or no store could hold one, and at the end if any is
   * missing, or two have the same revision.
   */
  readonly entries: AsyncIterable<KeptEntry>;
}

/**
 * Writes a backup atomically: the file appears complete and durable, or not at all; `partial` is its name until then. Throws `StorageFailure`, also
 * when the file exists already, and when another process has taken `partial` meanwhile: what that writes is left alone.
 */
export async function writeBackup(path: string, partial: string, header: BackupHeader, entries: Iterable<KeptEntry>): Promise<void> {
  await checkFree(path);
  try {
    // A backup holds all objects, Secrets included.
    const file = await open(partial, 'wx', 0o600);
    try {
      for (const chunk of gathered(header, entries)) await file.writeFile(chunk);
      await file.sync();
      await checkFree(path);
      if (!(await isAt(file, partial))) throw new StorageFailure('unavailable', `another process has removed or replaced ${partial}: back up once more, or into another folder`);
      await renameDurably(partial, path);
    } catch (cause) {
      if (await isAt(file, partial)) await rm(partial, { force: true });
      throw cause;
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof StorageFailure) throw cause;
    throw new StorageFailure('unavailable', `the backup ${path} cannot be written: ${failureText(cause)}`, { cause });
  }
}

/** Throws `StorageFailure` where something has that name, be it a link that leads nowhere: the backup would take its place. */
async function checkFree(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) !== undefined) throw new StorageFailure('unavailable', `${path} is there already: give another name`);
}

/** Whether an open file is the one at that path. While it is open, no other file gets its inode. */
async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const [opened, found] = await Promise.all([file.stat({ bigint: true }), stat(path, { bigint: true }).catch(() => undefined)]);
  return found?.ino === opened.ino && found.dev === opened.dev;
}

function* gathered(header: BackupHeader, entries: Iterable<KeptEntry>): Generator<Buffer> {
  let parts: Buffer[] = [Buffer.from(MAGIC), frame(Buffer.from(JSON.stringify(header)))];
  let size = 0;
  for (const entry of entries) {
    const part = frame(encodeEntry(entry));
    parts.push(part);
    size += part.length;
    if (size < WRITE_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  yield Buffer.concat(parts);
}

/** Opens a backup and reads its header. Throws a `StorageFailure` that names the file. */
export async function readBackup(path: string): Promise<Backup> {
  const frames = framesOf(path);
  try {
    const first = await frames.next();
    if (first.done === true) throw damaged(path, 'it is empty');
    const header = headerOf(path, first.value);
    return { ...header, entries: entriesOf(path, frames, header) };
  } catch (cause) {
    await frames.return(undefined);
    throw cause;
  }
}

function headerOf(path: string, body: Buffer): BackupHeader {
  const { revision, count, madeAtMs = 0 } = partsOf(body);
  if (revision === undefined || !isRevision(revision) || count === undefined || !Number.isSafeInteger(count)) throw damaged(path, 'it does not say what it holds');
  if (revision > MAX_RESTORED_REVISION) throw damaged(path, `it is of revision ${revision}, and no store comes that far`);
  return { revision, count, madeAtMs };
}

function partsOf(body: Buffer): Partial<BackupHeader> {
  try {
    return (JSON.parse(body.toString()) as Partial<BackupHeader> | null) ?? {};
  } catch {
    return {};
  }
}

async function* entriesOf(path: string, frames: AsyncGenerator<Buffer>, { count, revision }: BackupHeader): AsyncGenerator<KeptEntry> {
  const revisions = new RevisionsSeen();
  let before: string | undefined;
  for await (const body of frames) {
    const entry = decodeEntry(body);
    if (before !== undefined && compareUtf8(before, entry.key) >= 0) throw damaged(path, `${entry.key} stands behind ${before}`);
    before = entry.key;
    if (isTooLong(entry.key)) throw damaged(path, tooLongText(entry.key));
    if (!isRevision(entry.revision)) throw damaged(path, `${entry.key} has revision ${entry.revision}, which is none`);
    if (entry.revision > revision) throw damaged(path, `${entry.key} has revision ${entry.revision}, after the newest, ${revision}`);
    const { expiresAtMs = 1 } = entry;
    if (!(expiresAtMs > 0)) throw damaged(path, `${entry.key} expires at ${expiresAtMs}, which is no time`);
    revisions.add(entry.revision);
    yield entry;
  }
  if (revisions.count !== count) throw damaged(path, `it holds ${revisions.count} entries and should hold ${count}`);
  const twice = revisions.repeated();
  if (twice !== undefined) throw damaged(path, `two entries have revision ${twice}, which is that of one alone`);
}

const isRevision = (revision: number): boolean => Number.isSafeInteger(revision) && revision > 0;

/** The bodies of the frames. Throws a `StorageFailure` that names the file. */
async function* framesOf(path: string): AsyncGenerator<Buffer> {
  const source = new Bytes(createReadStream(path, { highWaterMark: WRITE_BYTES }));
  try {
    const magic = (await source.take(MAGIC.length))?.toString() ?? '';
    if (IS_NEWER.test(magic)) throw new StorageFailure('unavailable', `the backup ${path} has a newer format than this program reads: use the program that wrote it, or a newer one`);
    if (magic !== MAGIC) throw new StorageFailure('corrupt', 'it is not a backup that this program can read');
    for (;;) {
      const header = await source.take(FRAME_HEADER);
      if (header === undefined) return;
      const body = await source.take(bodyLength(header));
      if (body === undefined) throw new StorageFailure('corrupt', 'its end is missing');
      checkBody(header, body);
      yield body;
    }
  } catch (cause) {
    if (cause instanceof StorageFailure) throw cause.code === 'corrupt' ? damaged(path, cause.message) : cause;
    const why = (cause as NodeJS.ErrnoException).code === 'EISDIR' ? 'it is a folder, and a backup is a file' : failureText(cause);
    throw new StorageFailure('unavailable', `the backup ${path} cannot be read: ${why}`, { cause });
  } finally {
    source.close();
  }
}

/** Reads a stream of chunks in pieces of a given length. */
class Bytes {
  readonly #stream: AsyncIterable<Buffer> & { destroy(): void };
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer> & { destroy(): void }) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next `length` bytes; undefined at the end of the stream. Throws `StorageFailure` (`corrupt`) when fewer bytes are left. */
  async take(length: number): Promise<Buffer | undefined> {
    const parts = [this.#rest];
    let size = this.#rest.length;
    while (size < length) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        if (size === 0) return undefined;
        throw new StorageFailure('corrupt', 'its end is missing');
      }
      parts.push(value);
      size += value.length;
    }
    const bytes = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = bytes.subarray(length);
    return bytes.subarray(0, length);
  }

  close(): void {
    this.#stream.destroy();
  }
}

const damaged = (path: string, why: string): StorageFailure => new StorageFailure('corrupt', `the backup ${path} is damaged: ${why}`);
