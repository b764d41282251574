import { brandOf, type Brand } from '#api';
import { Pools } from '#registry';
import { createKeySpace, encrypted, nested, openEngine, reformed, type Engine, type KeySpace, type ValueForm } from '#storage';
import { readEncryption } from './encryption-config.ts';
import { rootOf } from './etcd-location.ts';
import type { Settings } from '../options.ts';
import { rangesOf } from '../services/options.ts';
import { anyStoredFormat } from './stored-format.ts';

/** Opens the store that the settings name, with its values sealed as they say. Throws what is wrong with it or with the settings. */
export async function openStore(settings: Settings): Promise<Engine> {
  const { store, encryption, historySeconds, isStoreShared: isShared, clock, log } = settings;
  const brand = brandOf(settings.dialect);
  const seal = encryption === undefined ? undefined : encrypted(await readEncryption(encryption, keySpaceOf(settings)));
  const engine = await openEngine(store, { historySeconds, isShared, clock, log });
  const forms = [formatOf(settings, brand), seal].filter((form) => form !== undefined);
  return forms.length === 0 ? engine : reformed(engine, forms.reduce(nested));
}

/** Where objects lie in that store. */
export const keySpaceOf = ({ dialect, store }: Pick<Settings, 'dialect' | 'store'>): KeySpace => createKeySpace(brandOf(dialect), rootOf(store));

/**
 * In etcd, other servers may have written what is there. Engines of our own hold nothing but our own form, but kinds that a program brings may
 * have had another storage version when it stored them.
 */
function formatOf({ store, storageFormat, services, kinds }: Settings, brand: Brand): ValueForm | undefined {
  const isForeign = store.startsWith('etcd://');
  if (!isForeign && kinds.length === 0) return undefined;
  return anyStoredFormat(brand, { families: new Pools(rangesOf(services)).families, format: isForeign ? storageFormat : undefined, added: kinds });
}
