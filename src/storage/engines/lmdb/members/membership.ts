import type { Socket } from 'node:net';
import { deferred, type Deferred } from '#base';
import { StorageFailure, type Commit, type Entry, type Key, type Revision, type Write } from '../../../engine.ts';
import type { Role } from '../role.ts';
import type { Asked, Frame, Told } from './frames.ts';
import { hear, say } from './line.ts';

export interface MembershipHooks {
  /** The file has come so far. Called before anyone is answered who waits for it. */
  readonly head: (head: Revision) => void;
  /** What stood at `key` when a write lost: that of `revision`, or undefined for 0. */
  readonly found: (key: Key, revision: Revision) => Entry | undefined;
  /** The process that writes is gone. */
  readonly lost: () => void;
}

interface Waiting {
  readonly key: Key;
  readonly outcome: Deferred<Commit>;
}

/** Nothing was written: the process that writes is about to go, and `gone` resolves when it is. */
export class WriterGoes extends Error {
  readonly gone: Promise<void>;

  constructor(gone: Promise<void>) {
    super('the process that writes to the store is about to go');
    this.gone = gone;
  }
}

/** The process that writes is gone, and has not said whether it wrote this. */
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
  /** Nothing more is asked of the process that writes. */
  #isGoing = false;

  /** undefined: the process at the other end of the line is gone, or going. */
  static async join(socket: Socket, hooks: MembershipHooks): Promise<Membership | undefined> {
    const membership = new Membership(socket, hooks);
    say(socket, { message: { ask: 'join' } });
    const isMember = await membership.#begun.promise;
    // From here on only who waits for an answer keeps the process; until here it waits for its store.
    if (membership.#waiting.size === 0) socket.unref();
    return isMember ? membership : undefined;
  }

  readonly #ended = deferred<void>();

  /** Whether the other side has said how far the file has come, which is its welcome. */
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
    // Who waits for an answer keeps the process.
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
