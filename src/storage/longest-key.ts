import { isLongerThan } from '#base';
import type { Key } from './entry.ts';
import { StorageFailure } from './storage-failure.ts';

/** The most bytes of a key in a store in a folder: LMDB allows 1,978, and its tables append a revision. All such engines take what a backup of one may hold. */
export const MAX_KEY_BYTES = 1_900;

/** Whether a key is longer than any of a store in a folder. */
export const isTooLong = (key: Key): boolean => isLongerThan(key, MAX_KEY_BYTES);

/** What is told of such a key. */
export const tooLongText = (key: Key): string => `a key may have ${MAX_KEY_BYTES} bytes, this one has more: ${key.slice(0, 200)}…`;

/** The failure to keep a key in a store in a folder; undefined: it is short enough. */
export const longKeyFailure = (key: Key): StorageFailure | undefined => (isTooLong(key) ? new StorageFailure('unavailable', tooLongText(key)) : undefined);
