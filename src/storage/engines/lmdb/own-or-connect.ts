import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from '#base';
import { StorageFailure } from '../../storage-failure.ts';
import { FILE } from './database.ts';
import type { OpenFolder } from './open-folder.ts';
import { OWNER_RETRY_MS } from './limits.ts';
import type { LongWait } from './long-wait.ts';
import { callWriter } from './members/call-writer.ts';
import { openWhileWritesHeld } from './members/open-while-writes-held.ts';
import { takeOwnership, type Owner, type Ownership } from './owner.ts';

/** The process that writes to the store, and a connection to it. */
export interface WriterConnection {
  readonly owner: Owner;
  readonly socket: Socket;
}

/**
 * Makes this process the one that writes, or connects to the one that does. `open` opens the file, at a moment when no process writes; absent: the file
 * is open. Throws `StorageFailure` where the writing process does not share the store, and the reason of `wait.stop`.
 */
export async function ownOrConnect(folder: OpenFolder, wait: LongWait, open?: () => void): Promise<Ownership | WriterConnection> {
  const { path, isShared } = folder;
  for (;;) {
    wait.stop?.throwIfAborted();
    const owner = await takeOwnership(folder, open ?? (() => {}), wait.waiting);
    if ('giveUp' in owner) return owner;
    if (owner.isShared !== true || owner.socket === undefined || !isShared) {
      throw new StorageFailure('unavailable', `the store ${join(path, FILE)} is in use by process ${owner.pid}: stop it first, or give another folder`);
    }
    const socket = open === undefined ? await callWriter(path, owner, owner.socket, wait) : await openWhileWritesHeld(folder, owner, open, wait);
    if (socket !== undefined) return { owner, socket };
    await pauseBeforeRetry();
  }
}

/** Waits `OWNER_RETRY_MS`: the writing process is about to end, or has just started. */
export const pauseBeforeRetry = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, OWNER_RETRY_MS));
