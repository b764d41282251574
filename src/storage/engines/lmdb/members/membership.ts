import type { Socket } from 'node:net';
import { deferred, type Deferred } from '#base';
import { StorageFailure, type Commit, type Entry, type Key, type Revision, type Write } from '../../../engine.ts';
import type { Role } from '../role.ts';
import type { Asked, Frame, Told } from './frames.ts';
import { hear, say } from './line.ts';

export interface MembershipHooks {
  /** The file has reached this revision. Called before the writes up to it resolve. */
  readonly head: (head: Revision) => void;
  /** The entry at `key` that a refused write met: the one of `revision`, or undefined for 0. */
  readonly found: (key: Key, revision: Revision) => Entry | undefined;
  /** The writing process is gone. */
  readonly lost: () => void;
}

interface Waiting {
  readonly key: Key;
  readonly outcome: Deferred<Commit>;
}

/** Nothing was written, because the writing process is about to end; `gone` resolves when it has. */
export class WriterGoes extends Error {
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
  #nextId = 1;
  /** The writing process is ending: no further request is sent to it. */
  #isGoing = false;

  /** Joins the process at the other end of a connection; undefined: it has ended, is ending, or does not accept members. */
  static async join(socket: Socket, hooks: MembershipHooks): Promise<Membership | undefined> {
    const membership = new Membership(socket, hooks);
    say(socket, { message: { ask: 'join' } });
    const isMember = await membership.#begun.promise;
    // From here on the connection keeps this process alive only while an answer is outstanding; until here, opening the store does.
    if (membership.#waiting.size === 0) socket.unref();
    return isMember ? membership : undefined;
  }

  readonly #ended = deferred<void>();

  /** Resolves with whether the other process sent its head, which means that it has accepted this one. */
  readonly #begun = deferred<boolean>();

  private constructor(socket: Socket, hooks: MembershipHooks) {
    this.#socket = socket;
    this.#hooks = hooks;
    hear<Told>(socket, ({ message }) => this.#hear(message));
    socket.on('close', () => this.#end());
  }

  commit({ value, ...rest }: Write): Promise<Commit> {
    return this.#ask(rest.key, (id) => ({
      message: { ask: 'commit', id, ...rest },
      ...(value === undefined ? {} : { value }),
    }));
  }

  async compact(before: Revision): Promise<void> {
    await this.#ask('', (id) => ({ message: { ask: 'compact', id, before } }));
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#waiting.values()].map(({ outcome }) => outcome.promise));
    this.#socket.destroy();
  }

  #ask(key: Key, frameOf: (id: number) => Frame<Asked>): Promise<Commit> {
    const outcome = deferred<Commit>();
    if (this.#isGoing) return Promise.reject(new WriterGoes(this.#ended.promise));
    const id = this.#nextId++;
    this.#waiting.set(id, { key, outcome });
    // An outstanding answer keeps this process alive.
    this.#socket.ref();
    say(this.#socket, frameOf(id));
    return outcome.promise;
  }

  #hear(told: Told): void {
    if (told.tell === 'held') return;
    if (told.tell === 'head') {
      this.#hooks.head(told.head);
      this.#begun.resolve(true);
      return;
    }
    if (told.tell === 'going') this.#isGoing = true;
    const { id } = told;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id !== undefined && waiting !== undefined) {
      this.#waiting.delete(id);
      this.#settle(waiting, told);
    }
    if (this.#waiting.size > 0) return;
    if (this.#isGoing) this.#socket.end();
    else this.#socket.unref();
  }

  #settle({ key, outcome }: Waiting, told: Exclude<Told, { tell: 'head' | 'held' }>): void {
    if (told.tell === 'done') outcome.resolve({ done: true, revision: told.revision });
    else if (told.tell === 'lost') outcome.resolve({ done: false, found: this.#hooks.found(key, told.found), ...(told.lapsed === true ? { lapsed: true } : {}) });
    else if (told.tell === 'going') outcome.reject(new WriterGoes(this.#ended.promise));
    else outcome.reject(new StorageFailure(told.code, told.message, told.revision === undefined ? {} : { revision: told.revision }));
  }

  #end(): void {
    this.#isGoing = true;
    this.#begun.resolve(false);
    for (const { outcome } of this.#waiting.values()) outcome.reject(new WriterLost());
    this.#waiting.clear();
    this.#hooks.lost();
    this.#ended.resolve();
  }
}
