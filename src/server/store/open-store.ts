import { brandOf, type Brand } from '#api';
import { Pools } from '#registry';
import { createKeySpace, encryptionTransformer, chained, openEngine, withTransformer, type Engine, type KeySpace, type ValueTransformer } from '#storage';
import { readEncryption } from './encryption-config.ts';
import { isEtcd, rootOf } from './etcd-location.ts';
import type { Settings } from '../options.ts';
import { ofOwnDialect } from './stored-dialect.ts';
import { anyStoredFormat } from './stored-format.ts';

/** Opens the configured store, with encryption where it is configured. Rejects with what is wrong with the store or the settings, or where another dialect wrote it. */
export async function openStore(settings: Settings): Promise<Engine> {
  const { store, encryption, historySeconds, isStoreShared: isShared, clock, log } = settings;
  const brand = brandOf(settings.dialect);
  const seal = encryption === undefined ? undefined : encryptionTransformer(await readEncryption(encryption, keySpaceOf(settings)));
  const engine = await ofOwnDialect(await openEngine(store, { historySeconds, isShared, clock, log }), settings);
  const forms = [formatOf(settings, brand), seal].filter((form) => form !== undefined);
  return forms.length === 0 ? engine : withTransformer(engine, forms.reduce(chained));
}

/** The key space of objects in that store. */
export const keySpaceOf = ({ dialect, store }: Pick<Settings, 'dialect' | 'store'>): KeySpace => createKeySpace(brandOf(dialect), rootOf(store));

/**
 * How stored values are read and written. In etcd, other servers may have written them. The other engines hold only values of this server, but kinds
 * of an embedding program may have had another storage version then.
 */
function formatOf({ store, storageFormat, services, kinds }: Settings, brand: Brand): ValueTransformer | undefined {
  const isForeign = isEtcd(store);
  if (!isForeign && kinds.length === 0) return undefined;
  return anyStoredFormat(brand, { families: new Pools(services).families, format: isForeign ? storageFormat : undefined, added: kinds });
}
