import type { CommandFlag } from '../flag.ts';
import type { FlagValues } from '../parse-flags.ts';
import { ownStore } from '../serve/store-of.ts';

/** Flags that select the store, as for `serve`. */
export const STORE_FLAGS: readonly CommandFlag[] = [
  { name: 'data-dir', type: 'string', default: './orch-data', help: 'Folder of the server; its store lies in it.' },
  { name: 'dialect', type: 'string', default: 'orch', choices: ['orch', 'kubernetes'], help: 'That of the server: each has a store of its own in the folder.' },
  { name: 'store', type: 'string', help: 'The store, when the server has one given: lmdb://<folder> or sqlite://<folder>.' },
];

export const givenStore = (flags: FlagValues): string => flags.text('store') ?? ownStore(flags);
