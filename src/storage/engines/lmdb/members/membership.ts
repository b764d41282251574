import type { Socket } from 'node:net';
import { clearTimeout, deferred, setTimeout, systemClock, type Clock, type Deferred } from '#base';
import type { Commit, Write } from '../../../engine.ts';
import type { Entry, Key, Revision } from '../../../entry.ts';
import { StorageFailure } from '../../../storage-failure.ts';
import { LEAVE_MS } from '../limits.ts';
import type { Role } from '../role.ts';
import { world } from '../../../world.ts';
import type { MemberRequest, Frame, WriterMessage } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';
import { Silence } from './silence.ts';

export interface MembershipHooks {
  /** The file has reached this revision. Called before the writes up to it resolve. */
  readonly head: (head: Revision) => void;
  /** The entry at `key` that a refused write met: the one of `revision`, or undefined for 0. May throw `StorageFailure`. */
  readonly found: (key: Key, revision: Revision) => Entry | undefined;
  /** The writing process is gone. */
  readonly lost: () => void;
  /** What the writing process was asked for is waited for, and nothing has been heard of it for long. Not called again before something is. */
  readonly silent?: () => void;
  /** Measures how long that is. Default: real time. */
  readonly clock?: Clock;
}

interface Waiting {
  readonly key: Key;
  readonly outcome: Deferred<Commit>;
}

/** Nothing was written, because the writing process is about to end; `gone` resolves when it has. */
export class WriterLeaving extends Error {
  readonly gone: Promise<void>;

  constructor(gone: Promise<void>) {
    super('the process that writes to the store is about to go');
    this.gone = gone;
  }
}

/** The writing process is gone, and it is not known whether it carried out the request. */
export class WriterLost extends Error {
  constructor() {
    super('the process that writes to the store is gone');
  }
}

/** The role of a process that reads the file itself and lets another one write. */
export class Membership implements Role {
  readonly #socket: Socket;
  readonly #hooks: MembershipHooks;
  readonly #waiting = new Map<number, Waiting>();
  readonly #silence: Silence;
  #nextId = 1;
  /** The writing process is ending: no further request is sent to it. */
  #isWriterLeaving = false;
  /** Who asks for something more waits until it has ended. */
  #isEndAwaited = false;

  /** Joins the process at the other end of a connection; undefined: it has ended, is ending, or does not accept members. */
  static async join(socket: Socket, hooks: MembershipHooks): Promise<Membership | undefined> {
    // It may have ended while this one opened the file: nothing more is heard of the connection then, not even its end.
    if (socket.destroyed) return undefined;
    const membership = new Membership(socket, hooks);
    sendFrame(socket, { message: { ask: 'join', pid: process.pid, world: world() } });
    const isMember = await membership.#begun.promise;
    // From here on the connection keeps this process alive only while an answer is outstanding; until here, opening the store does.
    if (membership.#waiting.size === 0) socket.unref();
    // Nor is one taken for a member whose connection broke in the moment in which it was accepted.
    return isMember && !socket.destroyed ? membership : undefined;
  }

  readonly #ended = deferred<void>();

  /** Resolves with whether the other process sent its head, which means that it has accepted this one. */
  readonly #begun = deferred<boolean>();

  private constructor(socket: Socket, hooks: MembershipHooks) {
    this.#socket = socket;
    this.#hooks = hooks;
    this.#silence = new Silence({ clock: hooks.clock ?? systemClock, isWaiting: () => this.#waiting.size > 0 || this.#isEndAwaited, tell: () => hooks.silent?.() });
    onFrames<WriterMessage>(socket, ({ message }) => this.#receive(message));
    socket.on('close', () => this.#end());
  }

  commit({ value, ...rest }: Write): Promise<Commit> {
    return this.#request(rest.key, (id) => ({
      message: { ask: 'commit', id, ...rest },
      ...(value === undefined ? {} : { value }),
    }));
  }

  async compact(before: Revision): Promise<void> {
    await this.#request('', (id) => ({ message: { ask: 'compact', id, before } }));
  }

  /** Waits for what was asked to be answered, for `LEAVE_MS` at most: a process that hangs must not keep this one from ending. */
  async close(): Promise<void> {
    const late = deferred<void>();
    const timer = setTimeout(late.resolve, LEAVE_MS);
    await Promise.race([Promise.allSettled([...this.#waiting.values()].map(({ outcome }) => outcome.promise)), late.promise]);
    clearTimeout(timer);
    this.#socket.destroy();
  }

  #request(key: Key, frameOf: (id: number) => Frame<MemberRequest>): Promise<Commit> {
    const outcome = deferred<Commit>();
    if (this.#isWriterLeaving) {
      outcome.reject(this.#leaving());
      return outcome.promise;
    }
    const id = this.#nextId++;
    this.#waiting.set(id, { key, outcome });
    // An outstanding answer keeps this process alive.
    this.#socket.ref();
    sendFrame(this.#socket, frameOf(id));
    this.#silence.asked();
    return outcome.promise;
  }

  #receive(received: WriterMessage): void {
    this.#silence.heard();
    if (received.tell === 'held' || received.tell === 'namesake') return;
    if (received.tell === 'head') {
      this.#hooks.head(received.head);
      this.#begun.resolve(true);
      return;
    }
    if (received.tell === 'going') this.#isWriterLeaving = true;
    const { id } = received;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id !== undefined && waiting !== undefined) {
      this.#waiting.delete(id);
      this.#settle(waiting, received);
    }
    if (this.#waiting.size > 0) return;
    if (this.#isWriterLeaving) this.#socket.end();
    else this.#socket.unref();
  }

  #settle({ key, outcome }: Waiting, received: Exclude<WriterMessage, { tell: 'head' | 'held' | 'namesake' }>): void {
    if (received.tell === 'done') outcome.resolve({ done: true, revision: received.revision });
    else if (received.tell === 'lost') this.#settleLost({ key, outcome }, received);
    else if (received.tell === 'going') outcome.reject(this.#leaving());
    else outcome.reject(new StorageFailure(received.code, received.message, received));
  }

  #leaving(): WriterLeaving {
    if (!this.#socket.destroyed) {
      this.#socket.ref();
      this.#isEndAwaited = true;
      this.#silence.asked();
    }
    return new WriterLeaving(this.#ended.promise);
  }

  #settleLost({ key, outcome }: Waiting, { found, preconditionFailed }: Extract<WriterMessage, { tell: 'lost' }>): void {
    try {
      outcome.resolve({ done: false, found: this.#hooks.found(key, found), ...(preconditionFailed === true ? { preconditionFailed: true } : {}) });
    } catch (cause) {
      // What cannot be read ends this write alone, and not the membership.
      outcome.reject(cause);
    }
  }

  #end(): void {
    this.#isWriterLeaving = true;
    this.#isEndAwaited = false;
    this.#begun.resolve(false);
    for (const { outcome } of this.#waiting.values()) outcome.reject(new WriterLost());
    this.#waiting.clear();
    this.#hooks.lost();
    this.#ended.resolve();
  }
}
