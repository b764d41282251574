import { statSync } from 'node:fs';

/** The file of a store in its folder. */
export const FILE = 'orch.sqlite';
/** Its newest writes: what SQLite has not taken over into the file yet. */
export const LOG_FILE = `${FILE}-wal`;
/** The file that the one process which may write has locked. */
export const OWNER_FILE = `${FILE}.owner`;
/** All that lie in the folder of a store. */
export const FILES = [FILE, LOG_FILE, `${FILE}-shm`, OWNER_FILE];

/** In bytes; 0: there is no such file. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
