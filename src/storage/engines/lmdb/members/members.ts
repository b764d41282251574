import type { Socket } from 'node:net';
import { clearTimeout, deferred, setTimeout, systemClock, type Clock, type Deferred } from '#base';
import { StorageFailure, type Commit, type Revision, type Write } from '../../../engine.ts';
import { HELD_LONG_MS, LEAVE_MS, MAX_UNREAD_BYTES } from '../limits.ts';
import type { Role } from '../role.ts';
import type { Asked, Frame, Told } from './frames.ts';
import { hear, say } from './line.ts';

/** The process that writes, as its members see it. */
export interface Writer extends Role {
  /** Resolves when no write is in progress. From then on nothing is written until the returned function is called. */
  hold(): Promise<() => void>;
}

export interface MembersOptions {
  readonly writer: Writer;
  /** Whether other processes may write through this one. */
  readonly isShared: boolean;
  readonly head: () => Revision;
  readonly log: (message: string) => void;
  /** Measures how long writes are held. Default: real time. */
  readonly clock?: Clock;
}

/** A connected process. */
interface Caller {
  readonly socket: Socket;
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
  /** Resolves when the last process has left; undefined: they were not asked to leave. */
  #empty: Deferred<void> | undefined;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  take(socket: Socket): void {
    if (this.#empty !== undefined) {
      socket.destroy();
      return;
    }
    const caller: Caller = { socket, isMember: false, isBehind: false, release: () => {} };
    this.#callers.add(caller);
    socket.unref();
    hear<Asked>(socket, (frame) => void this.#answer(caller, frame));
    socket.on('close', () => {
      this.#callers.delete(caller);
      caller.release();
      if (this.#callers.size === 0) this.#empty?.resolve();
    });
  }

  /** Tells all members that everything up to `head` is in the file. */
  tell(head: Revision): void {
    for (const caller of this.#callers) {
      if (!caller.isMember || caller.isBehind) continue;
      if (caller.socket.writableLength > MAX_UNREAD_BYTES) this.#tellLater(caller);
      else say(caller.socket, { message: { tell: 'head', head } });
    }
  }

  /** A process that is suspended would accumulate one message per group. It gets only the newest head once it reads again. */
  #tellLater(caller: Caller): void {
    caller.isBehind = true;
    caller.socket.once('drain', () => {
      caller.isBehind = false;
      say(caller.socket, { message: { tell: 'head', head: this.#options.head() } });
    });
  }

  /** Sends all members to the next writing process, and waits until they have their answers and have left, for `LEAVE_MS` at most. */
  async leave(): Promise<void> {
    this.#empty = deferred();
    if (this.#callers.size === 0) return;
    for (const { socket } of this.#callers) say(socket, { message: { tell: 'going' } });
    // A process that hangs must not keep this one from ending.
    const late = setTimeout(() => this.#empty?.resolve(), LEAVE_MS);
    await this.#empty.promise;
    clearTimeout(late);
    for (const { socket } of this.#callers) socket.destroy();
  }

  async #answer(caller: Caller, { message, value }: Frame<Asked>): Promise<void> {
    if (message.ask === 'hold') await this.#hold(caller, message.pid);
    else if (message.ask === 'join') this.#join(caller);
    else if (caller.isMember) await this.#work(caller.socket, message, value);
    else caller.socket.destroy();
  }

  /** Writes nothing until the next request on this connection, or until it closes. */
  async #hold(caller: Caller, pid: number): Promise<void> {
    const { writer, log, clock = systemClock } = this.#options;
    const goOn = await writer.hold();
    // There is no time limit: the caller may be opening the file at any moment, and a write during that could be lost.
    const warn = (): void => log(`nothing is written until process ${pid} has opened the store, which takes it long: continue it or end it`);
    const inTime = clock.after(HELD_LONG_MS, warn);
    caller.release = () => {
      inTime();
      goOn();
    };
    if (caller.socket.destroyed) caller.release();
    else say(caller.socket, { message: { tell: 'held' } });
  }

  #join(caller: Caller): void {
    caller.release();
    if (!this.#options.isShared || this.#empty !== undefined) {
      caller.socket.destroy();
      return;
    }
    caller.isMember = true;
    say(caller.socket, { message: { tell: 'head', head: this.#options.head() } });
  }

  async #work(socket: Socket, message: Extract<Asked, { id: number }>, value: Uint8Array | undefined): Promise<void> {
    const { writer } = this.#options;
    if (this.#empty !== undefined) return say(socket, { message: { tell: 'going', id: message.id } });
    try {
      if (message.ask === 'compact') {
        await writer.compact(message.before);
        say(socket, { message: { tell: 'done', id: message.id, revision: message.before } });
      } else {
        const { ask: _ask, id: _id, ...rest } = message;
        const write: Write = { ...rest, ...(value === undefined ? {} : { value }) };
        say(socket, { message: told(message.id, await writer.commit(write)) });
      }
    } catch (cause) {
      say(socket, { message: failed(message.id, cause) });
    }
  }
}

function told(id: number, commit: Commit): Told {
  if (commit.done) return { tell: 'done', id, revision: commit.revision };
  return { tell: 'lost', id, found: commit.found?.revision ?? 0, ...(commit.lapsed === true ? { lapsed: true } : {}) };
}

function failed(id: number, cause: unknown): Told {
  if (!(cause instanceof StorageFailure)) return { tell: 'failed', id, code: 'unavailable', message: String(cause) };
  const { code, message, revision } = cause;
  return { tell: 'failed', id, code, message, ...(revision === undefined ? {} : { revision }) };
}
