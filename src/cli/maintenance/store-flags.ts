import { DIALECTS } from '#api';
import { failureText } from '#base';
import { checkMaintainable, dialectsOfBackup, type MaintenanceVerb } from '#server';
import type { CommandFlag } from '../flag.ts';
import type { FlagValues } from '../parse-flags.ts';
import { otherDialectIn, ownStore } from '../serve/store-of.ts';
import { UsageError } from '../usage-error.ts';

/** Flags that select the store, as for `serve`. */
export const STORE_FLAGS: readonly CommandFlag[] = [
  { name: 'data-dir', type: 'string', default: './orch-data', help: 'Folder of the server; its store lies in it.' },
  { name: 'dialect', type: 'string', default: 'orch', choices: DIALECTS, help: 'That of the server: each has a store of its own in the folder.' },
  { name: 'store', type: 'string', help: 'The store, when the server has one given: lmdb://<folder> or sqlite://<folder>.' },
];

/** The address of the store that the flags name. Throws `UsageError` where it is none on which the command works, or lies beside the one that is meant. */
export function givenStore(flags: FlagValues, verb: MaintenanceVerb): string {
  const store = flags.text('store') ?? ownStore(flags);
  if (verb !== 'restore' && flags.text('store') === undefined) seekInOtherDialect(flags);
  try {
    checkMaintainable(store, verb);
  } catch (cause) {
    throw new UsageError(`--store: ${failureText(cause)}`);
  }
  return store;
}

/** Throws `UsageError` where the folder has no store of the dialect, but one of another. */
function seekInOtherDialect(flags: FlagValues): void {
  const other = otherDialectIn(flags);
  if (other === undefined) return;
  throw new UsageError(`the store in ${flags.text('data-dir') ?? '.'} is one of the dialect ${other}, not of ${flags.text('dialect') ?? ''}: give --dialect=${other}`);
}

/** Throws `UsageError` where a backup would become the store of another dialect than its own: no server of its own would find it there. */
export async function checkBackupDialect(backup: string, flags: FlagValues): Promise<void> {
  if (flags.text('store') !== undefined) return;
  const dialect = flags.text('dialect') ?? '';
  const found = await dialectsOfBackup(backup);
  const [other] = found;
  if (other === undefined || found.some((one) => one === dialect)) return;
  throw new UsageError(`${backup} is a backup of the dialect ${other}, not of ${dialect}: give --dialect=${other}`);
}
