import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

/** What others in the same folder see of a living process. */
export interface LifeSign {
  readonly name: string;
  end(): void;
}

const PREFIX = 'owner-';
/** Before the name of a socket where nobody may listen yet. */
const UNBORN = 'new-';
/** No socket for want of room, memory or numbers: that passes, and is no word about the file system. */
const LACKS: readonly string[] = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS'];

/**
 * Listens on a socket in the folder until the process ends, and hands over whoever calls. undefined: the file system has none. Throws where
 * there could be one but not now: an owner without a socket would keep all others out as long as it lives.
 * A socket has its name from the moment on when somebody listens there: one that is not answered is known to be dead.
 */
export async function lifeSign(folder: string, called: (socket: Socket) => void): Promise<LifeSign | undefined> {
  for (;;) {
    const name = `${PREFIX}${randomUUID().slice(0, 8)}`;
    const server = createServer(called);
    const isListening = await throughFolder(folder, UNBORN + name, (path) => {
      return new Promise<boolean>((resolve, reject) => {
        // Later ones say that a caller could not be taken, for want of numbers: it calls again.
        server.on('error', (cause: NodeJS.ErrnoException) => (LACKS.includes(cause.code ?? '') ? reject(cause) : resolve(false)));
        // Its own, also where the process shares what it listens on with others.
        server.listen({ path, exclusive: true }, () => resolve(true));
      });
    });
    if (!isListening) return undefined;
    server.unref();
    if (!bear(folder, name)) {
      server.close();
      continue;
    }
    await removeDead(folder, name);
    return {
      name,
      end() {
        server.close();
        rmSync(join(folder, name), { force: true });
      },
    };
  }
}

/** false: another process took it for one that had died before it listened, and removed it. */
function bear(folder: string, name: string): boolean {
  try {
    renameSync(join(folder, UNBORN + name), join(folder, name));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw cause;
  }
}

/** Whether a process listens on that socket. In doubt it does. */
export async function answers(folder: string, name: string): Promise<boolean> {
  const line = await dial(folder, name);
  if (typeof line === 'string') return line !== 'ECONNREFUSED' && line !== 'ENOENT';
  line.destroy();
  return true;
}

/** A connection to the process that listens there. undefined: none does. */
export async function callOn(folder: string, name: string): Promise<Socket | undefined> {
  const line = await dial(folder, name);
  return typeof line === 'string' ? undefined : line;
}

/** A connection, or the code of why there is none. */
function dial(folder: string, name: string): Promise<Socket | string> {
  return throughFolder(folder, name, (path) => {
    return new Promise((resolve) => {
      const socket = connect(path);
      socket.once('connect', () => resolve(socket));
      socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
    });
  });
}

/** What killed processes left. */
async function removeDead(folder: string, own: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const isSign = name.startsWith(PREFIX) || name.startsWith(UNBORN + PREFIX);
    if (isSign && name !== own && !(await answers(folder, name))) rmSync(join(folder, name), { force: true });
  }
}

/** Paths of sockets have 100 bytes or so; through an open folder they are short wherever it lies. */
async function throughFolder<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return use(join(folder, name));
  const fd = openSync(folder, 'r');
  try {
    return await use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}
