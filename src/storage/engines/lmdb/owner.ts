import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFailure } from '../../engine.ts';
import { FILE, type Tables } from './database.ts';

/** Who writes to the store: enough to see whether that process still lives, whatever became of its number since. */
interface Owner {
  readonly pid: number;
  readonly started: string;
  /** Process numbers mean something only inside one boot and one namespace. */
  readonly world: string;
}

/** Folders open in this process. */
const open = new Set<string>();

/**
 * Makes this process the only writer of the store, and returns what gives that up. The record is read and written in one write transaction,
 * so two processes cannot both find it free. A process that was killed leaves a record that names nobody: it does not stand in the way.
 * Throws `StorageFailure` when another process has the store open.
 */
export function takeOwnership({ root, meta }: Tables, folder: string): () => void {
  const place = realpathSync(folder);
  const path = join(folder, FILE);
  if (open.has(place)) throw new StorageFailure('unavailable', `the store ${path} is already open in this process`);
  const self: Owner = { pid: process.pid, started: startOf(process.pid), world: world() };
  root.transactionSync(() => {
    const owner = meta.get('owner') as Owner | undefined;
    if (owner !== undefined && isAlive(owner, self)) {
      throw new StorageFailure('unavailable', `the store ${path} is in use by process ${owner.pid}: stop it first, or give another folder`);
    }
    meta.putSync('owner', self);
  });
  open.add(place);
  return () => {
    open.delete(place);
    meta.removeSync('owner');
  };
}

function isAlive(owner: Owner, self: Owner): boolean {
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
