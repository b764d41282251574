import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFailure } from '../../engine.ts';
import { FILE, makeStoreFolder } from './database.ts';
import { Gate } from './gate.ts';

/** Folders open in this process. */
const open = new Set<string>();

/** The folder of a store, which this process has open once. */
export interface House {
  readonly place: string;
  readonly gate: Gate;
  /** Other processes may come in. */
  readonly isShared: boolean;
  leave(): Promise<void>;
}

/** Claims the folder for one store of this process; makes it where there is none. Throws `StorageFailure`. */
export function claimHouse(folder: string, isShared: boolean): House {
  makeStoreFolder(folder);
  const place = realpathSync(folder);
  if (open.has(place)) throw new StorageFailure('unavailable', `the store ${join(folder, FILE)} is already open in this process`);
  const gate = Gate.open(place);
  open.add(place);
  return {
    place,
    gate,
    isShared,
    async leave() {
      open.delete(place);
      await gate.close();
    },
  };
}
