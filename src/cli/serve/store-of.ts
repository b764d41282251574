import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DIALECTS, type Dialect } from '#api';
import { failureText } from '#base';
import { etcdStore } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

/** The address of the store that the flags name. Throws `UsageError` that names the flag. */
export function storeOf(flags: FlagValues): string {
  const store = flags.text('store');
  const servers = flags.text('etcd-servers');
  if (servers === undefined) return store ?? ownStore(flags);
  if (store !== undefined) throw new UsageError('--store and --etcd-servers both name a store: give one of them');
  const compactionMs = flags.milliseconds('etcd-compaction-interval');
  try {
    return etcdStore({
      servers,
      ...given('prefix', flags.text('etcd-prefix')),
      ...given('caFile', flags.text('etcd-cafile')),
      ...given('certFile', flags.text('etcd-certfile')),
      ...given('keyFile', flags.text('etcd-keyfile')),
      ...given('compactionSeconds', compactionMs === undefined ? undefined : compactionMs / 1000),
    });
  } catch (cause) {
    throw new UsageError(`--etcd-servers: ${failureText(cause)}`);
  }
}

/** The address of the default store: one folder per dialect, since stores of different dialects are incompatible. */
export const ownStore = (flags: FlagValues): string => `lmdb://${ownFolder(flags, flags.text('dialect') ?? '')}`;

/** The dialect of a default store in the data folder, where none of the dialect that is asked for lies in it. */
export function otherDialectIn(flags: FlagValues): Dialect | undefined {
  const isThere = (dialect: string): boolean => existsSync(ownFolder(flags, dialect));
  return isThere(flags.text('dialect') ?? '') ? undefined : DIALECTS.find(isThere);
}

const ownFolder = (flags: FlagValues, dialect: string): string => join(flags.text('data-dir') ?? '.', 'store', dialect);

const given = <K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } => (value === undefined ? {} : ({ [name]: value } as { [P in K]: V }));
