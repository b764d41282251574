import { failureText } from '#base';
import { checkMaintainable, type MaintenanceVerb } from '#server';
import type { CommandFlag } from '../flag.ts';
import type { FlagValues } from '../parse-flags.ts';
import { ownStore } from '../serve/store-of.ts';
import { UsageError } from '../usage-error.ts';

/** Flags that select the store, as for `serve`. */
export const STORE_FLAGS: readonly CommandFlag[] = [
  { name: 'data-dir', type: 'string', default: './orch-data', help: 'Folder of the server; its store lies in it.' },
  { name: 'dialect', type: 'string', default: 'orch', choices: ['orch', 'kubernetes'], help: 'That of the server: each has a store of its own in the folder.' },
  { name: 'store', type: 'string', help: 'The store, when the server has one given: lmdb://<folder> or sqlite://<folder>.' },
];

/** The address of the store that the flags name. Throws `UsageError` where it is none on which the command works. */
export function givenStore(flags: FlagValues, verb: MaintenanceVerb): string {
  const store = flags.text('store') ?? ownStore(flags);
  try {
    checkMaintainable(store, verb);
  } catch (cause) {
    throw new UsageError(`--store: ${failureText(cause)}`);
  }
  return store;
}
