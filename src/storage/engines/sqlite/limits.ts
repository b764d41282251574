/** What `head` says of an empty store. */
export const FIRST_REVISION = 1;
/** The same as in the other embedded engine, so that a backup of one fits the other. */
export const MAX_KEY_BYTES = 1_900;
/** Values kept in memory, so that everyone who reads an entry gets the same bytes. */
export const CACHE_BYTES = 16 * 1024 * 1024;
/** Work done in one turn of the event loop. */
export const CATCH_UP_RECORDS = 256;
/** Rows forgotten in one transaction: writers wait for it. */
export const SWEEP_RECORDS = 512;
export const EXPIRE_KEYS = 256;
/** How often history is trimmed, at most. */
export const TRIM_EVERY_MS = 5_000;
/** After maintenance that failed. */
export const RETRY_MS = 1_000;
