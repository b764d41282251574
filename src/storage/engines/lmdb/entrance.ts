import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from '#base';
import { StorageFailure } from '../../engine.ts';
import { FILE } from './database.ts';
import type { House } from './house.ts';
import { callOn } from './life-sign.ts';
import { JOIN_AGAIN_MS } from './limits.ts';
import { visit } from './members/visit.ts';
import { takeOwnership, type Owner, type Ownership } from './owner.ts';

/** The process that writes to the store, and a connection to it. */
export interface Guest {
  readonly owner: Owner;
  readonly socket: Socket;
}

/**
 * Makes this process the one that writes, or connects to the one that does. `open` opens the file, at a moment when no process writes; absent: the file
 * is open. Throws `StorageFailure` where the writing process does not share the store.
 */
export async function enter(house: House, open?: () => void): Promise<Ownership | Guest> {
  const { place, isShared } = house;
  for (;;) {
    const owner = await takeOwnership(house, open ?? (() => {}));
    if ('giveUp' in owner) return owner;
    if (owner.isShared !== true || owner.socket === undefined || !isShared) {
      throw new StorageFailure('unavailable', `the store ${join(place, FILE)} is in use by process ${owner.pid}: stop it first, or give another folder`);
    }
    const socket = open === undefined ? await callOn(place, owner.socket) : await visit(house, owner, open);
    if (socket !== undefined) return { owner, socket };
    await joinAgain();
  }
}

/** Waits `JOIN_AGAIN_MS`: the writing process is about to end, or has just started. */
export const joinAgain = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, JOIN_AGAIN_MS));
