import { brandOf, DIALECTS, type Dialect } from '#api';
import { createKeySpace, endOf, readBackup, type Engine, type Key } from '#storage';
import type { Settings } from '../options.ts';
import { rootOf } from './etcd-location.ts';

/** Every server, and kube-apiserver, registers what it serves: the keys of the registrations tell in which dialect a store was written. */
function registrationsOf(dialect: Dialect, root?: Key): Key {
  const brand = brandOf(dialect);
  return createKeySpace(brand, root).prefixOf({ group: brand.group('apiregistration'), resource: 'apiservices' });
}

/**
 * The engine of a store that holds something of this dialect, or of none. Otherwise closes it and rejects with an `Error`: kinds lie under other keys
 * in the other one, and controllers would take objects whose owners they do not find for left behind, and delete them.
 */
export async function ofOwnDialect(engine: Engine, settings: Pick<Settings, 'dialect' | 'store'>): Promise<Engine> {
  try {
    await refuseOtherDialect(engine, settings);
    return engine;
  } catch (cause) {
    await engine.close();
    throw cause;
  }
}

async function refuseOtherDialect(engine: Engine, { dialect, store }: Pick<Settings, 'dialect' | 'store'>): Promise<void> {
  const holds = async (one: Dialect): Promise<boolean> => {
    const start = registrationsOf(one, rootOf(store));
    const { entries } = await engine.scan({ start, end: endOf(start), limit: 1 });
    return entries.length > 0;
  };
  if (await holds(dialect)) return;
  for (const other of DIALECTS) {
    if (other !== dialect && (await holds(other))) {
      throw new Error(`the store was written in the dialect ${other}, and this server speaks ${dialect}: give it that dialect, or another store`);
    }
  }
}

/** The dialects in which a backup was written; none where it does not tell. Throws `StorageFailure` where it cannot be read. */
export async function dialectsOfBackup(path: string): Promise<readonly Dialect[]> {
  const prefixes = DIALECTS.map((dialect) => [dialect, registrationsOf(dialect)] as const);
  const found = new Set<Dialect>();
  for await (const { key } of (await readBackup(path)).entries) {
    for (const [dialect, prefix] of prefixes) if (key.startsWith(prefix)) found.add(dialect);
    if (found.size === DIALECTS.length || prefixes.every(([, prefix]) => key > endOf(prefix))) break;
  }
  return [...found];
}
