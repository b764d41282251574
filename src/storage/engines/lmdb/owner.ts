import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFailure } from '../../engine.ts';
import { FILE, type Tables } from './database.ts';
import { answers, lifeSign, type LifeSign } from './life-sign.ts';

/** Who writes to the store: enough to see whether that process still lives, whatever became of its number since. */
interface Owner {
  readonly id: string;
  readonly pid: number;
  readonly started: string;
  /** Process numbers mean something only inside one boot and one namespace. */
  readonly world: string;
  /** The socket in the folder on which it listens as long as it lives; absent where the file system has no sockets. */
  readonly socket?: string;
}

/** Folders open in this process. */
const open = new Set<string>();

/**
 * Makes this process the only writer of the store, and returns what gives that up. Whether the owner that the store names still lives, its
 * socket says: the system closes it with the process, however that ends, and it can be reached from every container that sees the folder.
 * The record is replaced in a write transaction and only if it is still the one that was looked at, so two processes cannot both take over.
 * Throws `StorageFailure` when another process has the store open.
 */
export async function takeOwnership(tables: Tables, folder: string): Promise<() => void> {
  const place = realpathSync(folder);
  const path = join(folder, FILE);
  if (open.has(place)) throw new StorageFailure('unavailable', `the store ${path} is already open in this process`);
  open.add(place);
  let sign: LifeSign | undefined;
  try {
    sign = await lifeSign(place);
    const self: Owner = { id: randomUUID(), pid: process.pid, started: startOf(process.pid), world: world(), ...(sign === undefined ? {} : { socket: sign.name }) };
    for (;;) {
      const owner = tables.meta.get('owner') as Owner | undefined;
      if (owner !== undefined && (await isAlive(owner, self, place))) {
        throw new StorageFailure('unavailable', `the store ${path} is in use by process ${owner.pid}: stop it first, or give another folder`);
      }
      if (replaceOwner(tables, owner, self)) return () => giveUp(tables, self, place, sign);
    }
  } catch (cause) {
    open.delete(place);
    sign?.end();
    throw cause;
  }
}

/** Whether the store still named `before`. */
function replaceOwner({ root, meta }: Tables, before: Owner | undefined, self: Owner): boolean {
  return root.transactionSync(() => {
    const now = meta.get('owner') as Owner | undefined;
    if (now?.id !== before?.id || now?.pid !== before?.pid) return false;
    meta.putSync('owner', self);
    return true;
  });
}

function giveUp({ meta }: Tables, self: Owner, place: string, sign: LifeSign | undefined): void {
  open.delete(place);
  try {
    if ((meta.get('owner') as Owner | undefined)?.id === self.id) meta.removeSync('owner');
  } catch {
    // On a full disk the record stays; it names nobody who lives.
  }
  sign?.end();
}

async function isAlive(owner: Owner, self: Owner, folder: string): Promise<boolean> {
  if (owner.socket !== undefined) return answers(folder, owner.socket);
  if (owner.world !== self.world || owner.pid === self.pid) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(owner.pid) === owner.started;
}

/** The boot-relative start time of a process; empty where the system does not say, and of one that has died and waits to be collected. */
function startOf(pid: number): string {
  const stat = readOr('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses and may hold spaces; state is the first and start time the 20th after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? '' : (fields[19] ?? '');
}

const world = (): string =>
  readOr('', () => `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`);

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
