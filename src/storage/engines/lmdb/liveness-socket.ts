import { chmodSync, closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

/** The socket by which other processes can tell that this one is alive. */
export interface LivenessSocket {
  readonly name: string;
  end(): void;
}

const PREFIX = 'owner-';
/** Prefix of the name of a socket on which its process may not listen yet. */
const UNBORN = 'new-';
/** Errors for want of disk space, memory or file descriptors: they are temporary, and do not mean that the file system has no sockets. */
const LACKS: readonly string[] = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS'];

/**
 * Listens on a socket in the folder until the process ends, and passes each connection to `called`. undefined: the file system does not support
 * sockets. Throws on a temporary failure: an owner without a socket would keep all other processes out for as long as it lives.
 * The socket gets its final name only once the process listens on it: if a connection to that name is refused, the process is dead. Nobody but its owner
 * can connect to that name, whoever may enter the folder: who can may have the process write to the store.
 */
export async function openLivenessSocket(folder: string, called: (socket: Socket) => void): Promise<LivenessSocket | undefined> {
  for (;;) {
    const name = `${PREFIX}${randomUUID().slice(0, 8)}`;
    const server = createServer(called);
    const isListening = await throughFolder(folder, UNBORN + name, (path) => {
      return new Promise<boolean>((resolve, reject) => {
        // Errors after that mean that a connection could not be accepted, for want of file descriptors: the other process connects again.
        server.on('error', (cause: NodeJS.ErrnoException) => (LACKS.includes(cause.code ?? '') ? reject(cause) : resolve(false)));
        // Exclusive: in a worker of `node:cluster` the socket would be shared with the other workers otherwise.
        server.listen({ path, exclusive: true }, () => resolve(true));
      });
    });
    if (!isListening) return undefined;
    server.unref();
    if (!giveName(folder, name)) {
      server.close();
      continue;
    }
    await removeDeadSockets(folder, name);
    return {
      name,
      end() {
        server.close();
        removeIfPossible(join(folder, name));
      },
    };
  }
}

/** Removes what tells others of this process. On a file system that has become read-only it stays: nobody listens on its socket any more. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Who comes next finds nobody.
  }
}

/** Gives the socket its final name. false: another process believed that its owner had died before it listened, and removed it. */
function giveName(folder: string, name: string): boolean {
  try {
    chmodSync(join(folder, UNBORN + name), 0o600);
    renameSync(join(folder, UNBORN + name), join(folder, name));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw cause;
  }
}

/** Whether a process listens on that socket. True also when connecting fails for another reason than that nobody listens. */
export async function isListening(folder: string, name: string): Promise<boolean> {
  const line = await connectTo(folder, name);
  if (typeof line === 'string') return line !== 'ECONNREFUSED' && line !== 'ENOENT';
  line.destroy();
  return true;
}

/** Connects to the process that listens on that socket; or the code of the error for which it cannot. */
export function connectTo(folder: string, name: string): Promise<Socket | string> {
  return throughFolder(folder, name, (path) => {
    return new Promise((resolve) => {
      const socket = connect(path);
      socket.once('connect', () => resolve(socket));
      socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
    });
  });
}

/** Removes the sockets of processes that were killed. Never rejects: what is left of them is in nobody's way, and this process listens already. */
async function removeDeadSockets(folder: string, own: string): Promise<void> {
  try {
    for (const name of readdirSync(folder)) {
      const isSign = name.startsWith(PREFIX) || name.startsWith(UNBORN + PREFIX);
      if (isSign && name !== own && !(await isListening(folder, name))) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // The next process to listen tries again.
  }
}

/** The path of a socket is limited to about 100 bytes; through a descriptor of the folder it is short wherever the folder is. */
async function throughFolder<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return use(join(folder, name));
  const fd = openSync(folder, 'r');
  try {
    return await use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}
