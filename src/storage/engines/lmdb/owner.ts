import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Waiting } from '../../driver.ts';
import type { Safeguard } from '../../opened-file.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { FILE } from './database.ts';
import type { OpenFolder } from './open-folder.ts';
import { isListening, openLivenessSocket, removeIfPossible, type LivenessSocket } from './liveness-socket.ts';
import { giveSpaceBack, isOutOfSpace } from './preallocation.ts';
import { world } from '../../world.ts';

/** The process that writes to the store, with what is needed to tell whether it is still alive, even if its process id was reused. */
export interface Owner {
  readonly id: string;
  readonly pid: number;
  readonly started: string;
  /** The boot and the PID namespace in which `pid` is valid. */
  readonly world: string;
  /** The socket in the folder on which it listens for as long as it lives; absent where the file system does not support sockets. */
  readonly socket?: string;
  /** Whether it takes the writes of other processes over that socket. */
  readonly isShared?: boolean;
}

/** The right of this process to write to the store. It fails where the record is gone or another's: then another process writes, or is free to. */
export interface Ownership extends Safeguard {
  /** Sets what gets each new connection; connections before that were closed. */
  receive(take: (socket: Socket) => void): void;
  giveUp(): Promise<void>;
}

const RECORD = 'owner.json';

/** Reads the owner record. undefined: no process writes to the store, or the record was cut short when the machine stopped. */
export function readOwner(place: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(place, RECORD), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` while holding the lock if `owner` is still the one recorded (undefined: none is). Returns whether it ran. Throws what `work` throws, and the
 * reason of `waiting.stop`.
 */
export function ifStillOwnedBy(owner: Owner | undefined, { path, lock }: Pick<OpenFolder, 'path' | 'lock'>, work: () => void, waiting?: Waiting): Promise<boolean> {
  const isStill = (): boolean => {
    if (readOwner(path)?.id !== owner?.id) return false;
    work();
    return true;
  };
  return lock.run(isStill, waiting);
}

/**
 * Makes this process the only one that writes to the store, and runs `begin` before another process can enter; or returns the living owner. Whether
 * the recorded owner is alive is seen by connecting to its socket: the system closes it with the process, however that ends, and it can be reached
 * from every container that sees the folder. The record is replaced while holding the lock, and only if it is still the one that was read, so that two
 * processes cannot both take over. Throws what `begin` throws, the error of the system, and the reason of `waiting.stop`.
 */
export async function takeOwnership(folder: OpenFolder, begin: () => void, waiting?: Waiting): Promise<Ownership | Owner> {
  const { path, lock, isShared } = folder;
  let sign: LivenessSocket | undefined;
  let receive = (socket: Socket): void => void socket.destroy();
  try {
    for (;;) {
      const owner = readOwner(path);
      if (owner !== undefined && (await isAlive(owner, path))) {
        sign?.end();
        return owner;
      }
      sign ??= await openLivenessSocket(path, (socket) => receive(socket));
      const self = ownerHere(sign, isShared);
      const take = (): void => {
        writeOwner(path, self);
        begin();
      };
      if (!(await ifStillOwnedBy(owner, folder, take, waiting))) continue;
      return {
        get failure() {
          return lostFailure(path, self);
        },
        receive(next) {
          receive = next;
        },
        async giveUp() {
          // Where the record stays, nobody listens on its socket.
          await lock.runToLeave(() => forget(path, self)).finally(() => sign?.end());
        },
      };
    }
  } catch (cause) {
    sign?.end();
    throw cause;
  }
}

const ownerHere = (sign: LivenessSocket | undefined, isShared: boolean): Owner => ({
  id: randomUUID(),
  pid: process.pid,
  started: startOf(process.pid),
  world: world(),
  ...(sign === undefined ? {} : { socket: sign.name }),
  ...(sign === undefined || !isShared ? {} : { isShared }),
});

function writeOwner(place: string, owner: Owner): void {
  const draft = join(place, `${RECORD}.new`);
  const write = (): void => writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
  try {
    write();
  } catch (cause) {
    // On a full disk the store can still be read, and written where space is free in it.
    if (!isOutOfSpace(cause) || !existsSync(join(place, FILE)) || !giveSpaceBack(join(place, FILE))) throw cause;
    write();
  }
  renameSync(draft, join(place, RECORD));
}

/** Why a process that recorded itself as the owner must not write any more; undefined: it still may, or that cannot be seen now. */
function lostFailure(place: string, self: Owner): StorageFailure | undefined {
  const path = join(place, RECORD);
  try {
    if (readFileSync(path, 'utf8') === JSON.stringify(self)) return undefined;
  } catch (cause) {
    if (!['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined;
  }
  const problem = `${path}, the record that this server writes to the store, was removed or replaced: another one may write, too, and what is written now would be lost`;
  return new StorageFailure('unavailable', `${problem}. See to it that no other one runs on the store, and start this server anew`);
}

function forget(place: string, self: Owner): void {
  if (readOwner(place)?.id === self.id) removeIfPossible(join(place, RECORD));
}

/** Whether that process still runs, by its socket, or without one by its process id together with its start time. */
export async function isAlive(owner: Owner, place: string): Promise<boolean> {
  if (owner.socket !== undefined) return isListening(place, owner.socket);
  if (owner.world !== world() || owner.pid === process.pid) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(owner.pid) === owner.started;
}

/** The start time of a process, in ticks since boot; empty where the system does not tell it, and for a zombie. */
function startOf(pid: number): string {
  const stat = statOf(pid);
  // The second field is the program's name in parentheses and may hold spaces; state is the first and start time the 20th after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? '' : (fields[19] ?? '');
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
