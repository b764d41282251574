import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

/** What others in the same folder see of a living process. */
export interface LifeSign {
  readonly name: string;
  end(): void;
}

const PREFIX = 'owner-';

/** Listens on a socket in the folder until the process ends. undefined: the file system has none. */
export async function lifeSign(folder: string): Promise<LifeSign | undefined> {
  const name = `${PREFIX}${randomUUID().slice(0, 8)}`;
  const server = createServer((socket) => socket.destroy());
  const isListening = await throughFolder(folder, name, (path) => {
    return new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(path, () => resolve(true));
    });
  });
  if (!isListening) return undefined;
  server.unref();
  void removeDead(folder, name);
  return {
    name,
    end() {
      server.close();
      rmSync(join(folder, name), { force: true });
    },
  };
}

/** Whether a process listens on that socket. In doubt it does. */
export async function answers(folder: string, name: string): Promise<boolean> {
  return throughFolder(folder, name, (path) => {
    return new Promise<boolean>((resolve) => {
      const socket = connect(path);
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
    });
  });
}

/** What killed processes left. */
async function removeDead(folder: string, own: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(PREFIX) && name !== own && !(await answers(folder, name))) rmSync(join(folder, name), { force: true });
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
