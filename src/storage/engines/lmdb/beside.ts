import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFailure } from '../../engine.ts';
import { FILE, openTablesToRead, type Tables } from './database.ts';
import { joinAgain } from './entrance.ts';
import { Gate } from './gate.ts';
import { visit } from './members/visit.ts';
import { ifStill, isAlive, readOwner } from './owner.ts';

/** A store opened for reading while its server may write to it. */
export interface Beside {
  readonly tables: Tables;
  close(): Promise<void>;
}

/** Opens the tables of an existing store for reading, while its server may write. Throws `StorageFailure`. */
export async function openBeside(folder: string): Promise<Beside> {
  const named = folder === '' ? '.' : folder;
  if (!existsSync(join(named, FILE))) throw new StorageFailure('unavailable', `there is no store in the folder ${named}: no file ${FILE}`);
  const place = realpathSync(named);
  const gate = Gate.open(place);
  try {
    const tables: { open?: Tables } = {};
    const open = (): void => void (tables.open = openTablesToRead(place));
    while (tables.open === undefined) {
      const owner = readOwner(place);
      if (owner !== undefined && (await isAlive(owner, place))) {
        const socket = await visit({ place, gate }, owner, open);
        socket?.destroy();
        if (socket === undefined) await joinAgain();
      } else {
        ifStill(owner, { place, gate }, open);
      }
    }
    const { open: opened } = tables;
    return {
      tables: opened,
      async close() {
        await gate.shut(opened.root);
        await gate.close();
      },
    };
  } catch (cause) {
    await gate.close();
    throw cause;
  }
}
