import type { Socket } from 'node:net';
import { clearTimeout, deferred, setTimeout, type Clock, type Deferred } from '#base';
import type { Commit, Write } from '../../../engine.ts';
import type { Revision } from '../../../entry.ts';
import { StorageFailure } from '../../../storage-failure.ts';
import { LEAVE_MS, MAX_UNREAD_BYTES } from '../limits.ts';
import { whenLong } from '../long-wait.ts';
import type { Role } from '../role.ts';
import type { MemberRequest, Frame, WriterMessage } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';
import { Namesakes } from './namesakes.ts';

/** The process that writes, as its members see it. */
export interface Writer extends Role {
  /** Commits for a member: the same object each time. */
  commitFor(member: object, write: Write): Promise<Commit>;
  /** Resolves when no write is in progress. From then on nothing is written until the returned function is called. */
  hold(): Promise<() => void>;
}

export interface MembersOptions {
  readonly writer: Writer;
  /** Whether other processes may write through this one. */
  readonly isShared: boolean;
  /** Throws where the file cannot be read. */
  readonly head: () => Revision;
  /** The ids of the living processes that read the file at present. Throws where that cannot be found out. */
  readonly readers: () => Iterable<number>;
  readonly log: (message: string) => void;
  /** Measures how long writes are held. Default: real time. */
  readonly clock?: Clock;
}

/** A connected process. */
interface Caller {
  readonly socket: Socket;
  /** undefined: it has not asked for the file, or cannot have it. */
  pid: number | undefined;
  isMember: boolean;
  /** It does not read at present; it is sent the newest head when it does. */
  isBehind: boolean;
  /** Ends its hold on the writes, if there is one. */
  release: () => void;
}

/** The other processes that have this store open: holds the writes while they open the file, writes for them, and tells them the head of the file. */
export class Members {
  readonly #options: MembersOptions;
  readonly #callers = new Set<Caller>();
  readonly #namesakes = new Namesakes();
  /** Resolves when the last process has left; undefined: they were not asked to leave. */
  #empty: Deferred<void> | undefined;
  #disconnecting: Promise<void> | undefined;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  accept(socket: Socket): void {
    if (this.#empty !== undefined) {
      socket.destroy();
      return;
    }
    const caller: Caller = { socket, pid: undefined, isMember: false, isBehind: false, release: () => {} };
    this.#callers.add(caller);
    socket.unref();
    // Where the file cannot be read any more, nobody can be told how far it has come: this process goes on, and its callers look for another one.
    onFrames<MemberRequest>(socket, (frame) => void this.#answer(caller, frame).catch(() => socket.destroy()));
    socket.on('close', () => {
      this.#callers.delete(caller);
      caller.release();
      if (this.#callers.size === 0) this.#empty?.resolve();
    });
  }

  /** Tells all members that everything up to `head` is in the file. */
  sendHead(head: Revision): void {
    for (const caller of this.#callers) {
      if (!caller.isMember || caller.isBehind) continue;
      if (caller.socket.writableLength > MAX_UNREAD_BYTES) this.#sendHeadWhenDrained(caller);
      else sendFrame(caller.socket, { message: { tell: 'head', head } });
    }
  }

  /** A process that is suspended would accumulate one message per group. It gets only the newest head once it reads again. */
  #sendHeadWhenDrained(caller: Caller): void {
    caller.isBehind = true;
    caller.socket.once('drain', () => {
      caller.isBehind = false;
      try {
        sendFrame(caller.socket, { message: { tell: 'head', head: this.#options.head() } });
      } catch {
        caller.socket.destroy();
      }
    });
  }

  /** Sends all members to the next writing process, and waits until they have their answers and have left, for `LEAVE_MS` at most; once for all who call it. */
  disconnectAll(): Promise<void> {
    return (this.#disconnecting ??= this.#disconnect());
  }

  async #disconnect(): Promise<void> {
    const empty = (this.#empty = deferred());
    if (this.#callers.size === 0) return;
    for (const { socket } of this.#callers) sendFrame(socket, { message: { tell: 'going' } });
    // A process that hangs must not keep this one from ending.
    const late = setTimeout(empty.resolve, LEAVE_MS);
    await empty.promise;
    clearTimeout(late);
    for (const { socket } of this.#callers) socket.destroy();
  }

  async #answer(caller: Caller, { message, value }: Frame<MemberRequest>): Promise<void> {
    caller.release();
    if (message.ask === 'hold') await this.#hold(caller, message);
    else if (message.ask === 'join') this.#join(caller, message);
    else if (caller.isMember) await this.#carryOut(caller, message, value);
    else caller.socket.destroy();
  }

  /** Writes nothing until the next request on this connection, or until it closes. */
  async #hold(caller: Caller, { pid, world, hasOpen = false }: Extract<MemberRequest, { ask: 'hold' }>): Promise<void> {
    const { writer, log, clock } = this.#options;
    if (world !== undefined && hasOpen) this.#namesakes.note(pid, world);
    if (world !== undefined && !this.#namesakes.admit(pid, world, this.#withFileOpen())) return sendFrame(caller.socket, { message: { tell: 'namesake' } });
    caller.pid = pid;
    // The hold may be over before it has begun.
    let isOver = false;
    caller.release = () => void (isOver = true);
    const goOn = await writer.hold();
    if (isOver) return goOn();
    // There is no time limit: the caller may be opening the file at any moment, and a write during that could be lost.
    const warn = (): void => log(`nothing is written until process ${pid} has opened the store, which takes it long: continue it or end it`);
    const inTime = whenLong(warn, clock);
    caller.release = () => {
      inTime();
      goOn();
    };
    sendFrame(caller.socket, { message: { tell: 'held' } });
  }

  /** The ids of the processes that have the file open, or are opening it. A member need not read at present. */
  #withFileOpen(): ReadonlySet<number> {
    const connected = [...this.#callers].map(({ pid }) => pid).filter((pid) => pid !== undefined);
    return new Set([process.pid, ...connected, ...this.#options.readers()]);
  }

  #join(caller: Caller, { pid, world }: Extract<MemberRequest, { ask: 'join' }>): void {
    if (!this.#options.isShared || this.#empty !== undefined) {
      caller.socket.destroy();
      return;
    }
    caller.isMember = true;
    if (pid !== undefined && world !== undefined) this.#namesakes.note((caller.pid = pid), world);
    sendFrame(caller.socket, { message: { tell: 'head', head: this.#options.head() } });
  }

  async #carryOut(caller: Caller, message: Extract<MemberRequest, { id: number }>, value: Uint8Array | undefined): Promise<void> {
    const { writer } = this.#options;
    const { socket } = caller;
    if (this.#empty !== undefined) return sendFrame(socket, { message: { tell: 'going', id: message.id } });
    try {
      if (message.ask === 'compact') {
        await writer.compact(message.before);
        sendFrame(socket, { message: { tell: 'done', id: message.id, revision: message.before } });
      } else {
        const { ask: _ask, id: _id, ...rest } = message;
        const write: Write = { ...rest, ...(value === undefined ? {} : { value }) };
        sendFrame(socket, { message: commitReply(message.id, await writer.commitFor(caller, write)) });
      }
    } catch (cause) {
      sendFrame(socket, { message: failureReply(message.id, cause) });
    }
  }
}

function commitReply(id: number, commit: Commit): WriterMessage {
  if (commit.done) return { tell: 'done', id, revision: commit.revision };
  return { tell: 'lost', id, found: commit.found?.revision ?? 0, ...(commit.preconditionFailed === true ? { preconditionFailed: true } : {}) };
}

function failureReply(id: number, cause: unknown): WriterMessage {
  if (!(cause instanceof StorageFailure)) return { tell: 'failed', id, code: 'unavailable', message: String(cause) };
  const { code, message, revision, isUnconfirmed } = cause;
  return { tell: 'failed', id, code, message, ...(revision === undefined ? {} : { revision }), ...(isUnconfirmed ? { isUnconfirmed } : {}) };
}
