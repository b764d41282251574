import { join } from 'node:path';
import { checkPlausible } from '../../damage.ts';
import type { EngineOptions } from '../../driver.ts';
import type { Commit, Engine, Feed, Page, Scan, Write } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import { closedFailure, StorageFailure } from '../../storage-failure.ts';
import { clearTimeout, nextTurn, setTimeout } from '#base';
import { OpenedFile } from '../../opened-file.ts';
import { FILE, LOCK_FILE, mendHead, openFailure, openTables, readers, readFailure, readHead, type Tables } from './database.ts';
import { ownOrConnect, pauseBeforeRetry, type WriterConnection } from './own-or-connect.ts';
import { ChangeFeed } from './feed.ts';
import { History } from './history.ts';
import { claimFolder, type OpenFolder } from './open-folder.ts';
import { RETRY_MS, WITHOUT_WRITER_MS } from './limits.ts';
import { LongWait } from './long-wait.ts';
import { answerOf, silentWriter } from './members/call-writer.ts';
import { Members } from './members/members.ts';
import { Membership, WriterLeaving, WriterLost } from './members/membership.ts';
import type { Ownership } from './owner.ts';
import type { Role } from './role.ts';
import { WriterRole } from './writer-role.ts';

/** Opens the store in a folder, or creates it. Throws `StorageFailure`. */
export async function openLmdb(options: EngineOptions): Promise<Engine> {
  const folder = claimFolder(options.location, options.isShared === true);
  const opened: { tables?: Tables; engine?: LmdbEngine } = {};
  // What fails in it leaves no owner behind, nor a writing process that waits.
  const open = (): void => {
    opened.tables ??= openTables(folder.path);
    opened.engine ??= new LmdbEngine(opened.tables, options, folder);
  };
  const { clock, log } = options;
  const wait = new LongWait({ clock, tell: log });
  try {
    const access = await ownOrConnect(folder, wait, open);
    const engine = opened.engine!;
    await engine.takeRole(access, wait);
    return engine;
  } catch (error) {
    if (opened.tables !== undefined) await folder.lock.closeStore(opened.tables.root);
    await folder.leave();
    throw openFailure(error, join(folder.path, FILE));
  } finally {
    wait.over();
  }
}

/**
 * Reads the file itself. Of all processes that have the store open one writes: this process, or the one to which it sends its writes. When the writing
 * process is gone, the first process to notice takes its place.
 */
class LmdbEngine implements Engine {
  readonly keepsOrder = true;
  readonly #tables: Tables;
  readonly #options: EngineOptions;
  readonly #folder: OpenFolder;
  readonly #history: History;
  readonly #feed: ChangeFeed;
  readonly #files: readonly OpenedFile[];
  /** undefined: the writing process is gone, and its successor is not known yet. */
  #role: Role | undefined;
  /** The id, as owner, of the other process that writes; empty: this process writes. */
  #writer = '';
  #reconnecting: Promise<void> | undefined;
  #disconnectMembers: () => Promise<void> = async () => {};
  #giveUpOwnership: () => Promise<void> = async () => {};
  /** Aborts when the store is closed: who hangs must not keep this process from ending. */
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;
  /** The final failure, after which nothing can be read or written; undefined: the store is open. */
  #end: StorageFailure | undefined;
  /**
   * The newest revision that a caller may know of: its commit has resolved, or a read has shown it. Where no other process writes, this is the
   * `head`, which then need not be read from the file each time.
   */
  #shown: Revision = 0;

  constructor(tables: Tables, options: EngineOptions, folder: OpenFolder) {
    this.#tables = tables;
    // Where the file is: what it was opened by may lead to another one by the time at which this process begins to write.
    this.#options = { ...options, location: folder.path };
    this.#folder = folder;
    this.#history = new History(tables);
    this.#feed = new ChangeFeed(tables, this.#history);
    this.#files = [new OpenedFile(join(folder.path, FILE)), new OpenedFile(join(folder.path, LOCK_FILE), 'start this server anew')];
  }

  async head(): Promise<Revision> {
    return this.headAtHand() ?? this.#read(() => readHead(this.#tables));
  }

  headAtHand(): Revision | undefined {
    return this.#end === undefined && !this.#folder.isShared && this.#role instanceof WriterRole ? this.#shown : undefined;
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    return this.#read(() => {
      const entry = this.#history.get(key, at);
      // An absent entry may be the effect of a delete at the newest revision.
      this.#show(at ?? entry?.revision ?? readHead(this.#tables));
      return entry;
    });
  }

  async scan(range: Scan): Promise<Page> {
    let page = this.#read(() => this.#history.scan(range));
    while ('goOn' in page) {
      await nextTurn();
      const unfinished = page;
      page = this.#read(() => unfinished.goOn()) ?? unfinished;
    }
    this.#show(page.revision);
    return page;
  }

  commit(write: Write): Promise<Commit> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return this.#role instanceof WriterRole ? this.#role.commit(write) : this.#withRole((role) => role.commit(write), write);
  }

  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    this.#feed.follow({ prefix, after, feed, signal }, () => this.#read(() => this.#history.forgotten(after)));
  }

  async compact(before: Revision): Promise<void> {
    await this.#withRole((role) => role.compact(before)).catch((cause: unknown) => {
      throw this.#unreadable(cause);
    });
  }

  /** Resolves for all who call it when the store is closed. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#end = closedFailure();
    this.#closing.abort(this.#end);
    await this.#reconnecting;
    await this.#disconnectMembers();
    await this.#role?.close();
    this.#feed.fail(this.#end);
    await this.#giveUpOwnership();
    await this.#folder.lock.closeStore(this.#tables.root);
    await this.#folder.leave();
  }

  /** Gives up writing, so that another process, with its own mapping of the file, can take over. */
  async #stepDown(): Promise<void> {
    await this.#disconnectMembers();
    await this.#giveUpOwnership();
  }

  /** Starts writing, or joins the process that writes; if that one is gone meanwhile, enters again. Throws `StorageFailure`. */
  async takeRole(access: Ownership | WriterConnection, wait: LongWait): Promise<void> {
    if (this.#closing.signal.aborted) {
      if ('giveUp' in access) await access.giveUp();
      else access.socket.destroy();
      throw closedFailure();
    }
    if ('giveUp' in access) {
      try {
        this.#write(access);
      } catch (cause) {
        // Otherwise other processes would take this one for the writing process for as long as it lives.
        await access.giveUp();
        throw cause;
      }
    } else if (!(await this.#join(access, wait))) {
      await pauseBeforeRetry();
      await this.takeRole(await ownOrConnect(this.#folder, wait), wait);
    }
  }

  #write(ownership: Ownership): void {
    // From here on no other process writes: the head of the file is where this one continues.
    mendHead(this.#tables);
    // Before the role begins: nothing that fails behind it would end what it does by the clock.
    const head = readHead(this.#tables);
    checkPlausible(head, join(this.#folder.path, FILE));
    const writer = new WriterRole(this.#tables, this.#history, [...this.#files, ownership], this.#options, {
      committed: (changes, head) => {
        this.#history.written(changes, head);
        this.#show(head);
        this.#feed.publish(changes, head);
        members.sendHead(head);
      },
      failed: (head) => {
        this.#show(head);
        this.#feed.publishFromLog(head);
        members.sendHead(head);
      },
      // Feeds are not ended: what they delivered stays true, and caches above can still answer reads that may be stale.
      ended: (why) => {
        this.#end = why;
        void this.#stepDown().catch((cause: unknown) => this.#options.log('the store could not be left to another process', { cause: String(cause) }));
      },
    });
    const members = new Members({
      writer,
      isShared: this.#folder.isShared,
      head: () => readHead(this.#tables),
      readers: () => readers(this.#tables),
      log: this.#options.log,
    });
    this.#show(head);
    this.#feed.publishFromLog(head);
    this.#role = writer;
    this.#writer = '';
    this.#disconnectMembers = () => members.disconnectAll();
    this.#giveUpOwnership = () => {
      this.#giveUpOwnership = async () => {};
      return ownership.giveUp();
    };
    ownership.receive((socket) => members.accept(socket));
  }

  /** Whether the writing process accepted this one as a member. */
  async #join({ owner, socket }: WriterConnection, wait: LongWait): Promise<boolean> {
    const joined = Membership.join(socket, {
      head: (head) => {
        this.#tables.root.resetReadTxn();
        this.#feed.publishFromLog(head);
      },
      found: (key, revision) => this.#found(key, revision),
      lost: () => this.#writerLost(),
      silent: () => this.#options.log(`nothing is written: ${silentWriter(this.#folder.path, owner)}`),
      clock: this.#options.clock,
    });
    const membership = await answerOf(joined, socket, this.#folder.path, owner, wait);
    this.#role = membership;
    this.#writer = owner.id;
    return membership !== undefined;
  }

  /** The entry of a key at a revision. If that revision was compacted meanwhile, the entry that exists now. Throws `StorageFailure`. */
  #found(key: Key, revision: Revision): Entry | undefined {
    if (revision === 0) return undefined;
    this.#tables.root.resetReadTxn();
    try {
      return this.#history.entry(revision);
    } catch {
      return this.#read(() => this.#history.get(key));
    }
  }

  #writerLost(): void {
    if (this.#closing.signal.aborted || this.#role === undefined) return;
    this.#role = undefined;
    this.#reconnecting = this.#reconnect();
  }

  /** Tries until it succeeds: the obstacle, such as a full disk or a process that does not share the store, may be temporary. */
  async #reconnect(): Promise<void> {
    const { clock, log } = this.#options;
    const stop = this.#closing.signal;
    for (let isLogged = false; !stop.aborted; ) {
      const wait = new LongWait({ clock, tell: log, stop });
      try {
        await this.takeRole(await ownOrConnect(this.#folder, wait), wait);
        return;
      } catch (cause) {
        if (stop.aborted) return;
        if (!isLogged) log('no process writes to the store any more that this one could join', { cause: String(cause) });
        isLogged = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      } finally {
        wait.over();
      }
    }
  }

  /**
   * Runs `work`, and again after each change of the writing process, until the store is closed; fails if the previous one may have written `write`.
   */
  async #withRole<T>(work: (role: Role) => Promise<T>, write?: Write): Promise<T> {
    for (;;) {
      this.#checkOpen();
      const role = this.#role ?? (await this.#nextRole());
      const writer = this.#writer;
      const before = this.#feed.position;
      try {
        return await work(role);
      } catch (cause) {
        if (cause instanceof WriterLeaving) await cause.gone;
        else if (!(cause instanceof WriterLost)) throw cause;
        else if (write !== undefined) await this.#checkUnwritten(write, writer, before);
      }
    }
  }

  /**
   * Throws unless it is certain that the lost process did not write `write`. Once there is a new writing process, the lost one writes nothing more: if
   * the key is still at the expected revision, or the log has no change of it since, the write did not happen. That it is still absent says
   * nothing: the object could have been created and deleted again.
   */
  async #checkUnwritten({ key, expect }: Write, writer: string, before: Revision): Promise<void> {
    const next = await this.#nextRole().catch(() => undefined);
    const isUnwritten = (): boolean => this.#history.get(key)?.revision === expect || !this.#history.isChanged(key, before);
    if (next !== undefined && this.#writer !== writer && this.#read(isUnwritten)) return;
    throw new StorageFailure('unavailable', 'the process that writes to the store is gone, and it is not known whether it wrote this', { isUnconfirmed: true });
  }

  async #nextRole(): Promise<Role> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WITHOUT_WRITER_MS)));
    if (this.#role === undefined) await Promise.race([this.#reconnecting, late]);
    clearTimeout(timer);
    if (this.#role === undefined) throw new StorageFailure('unavailable', 'no process writes to the store just now');
    return this.#role;
  }

  /** Reads what other processes wrote or compacted since this turn of the event loop began, too. Throws `StorageFailure`. */
  #read<T>(read: () => T): T {
    this.#checkOpen();
    try {
      if (this.#folder.isShared) this.#tables.root.resetReadTxn();
      return read();
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #unreadable(cause: unknown): StorageFailure {
    return readFailure(cause, join(this.#folder.path, FILE));
  }

  #show(revision: Revision): void {
    if (revision > this.#shown) this.#shown = revision;
  }

  #checkOpen(): void {
    if (this.#end !== undefined) throw this.#end;
  }
}
