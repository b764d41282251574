/** The size of the cache of values, by which all readers of an entry share one array. */
export const CACHE_BYTES = 16 * 1024 * 1024;
/** The size to which the write-ahead log is cut back when it begins anew. While a reader holds a snapshot it may grow beyond. */
export const WRITE_AHEAD_BYTES = 16 * 1024 * 1024;
/** How long to wait for a lock that another program has on the file. */
export const LOCK_WAIT_MS = 10_000;
/** How long to wait for those who read the log, where it should begin anew because the disk is nearly full. */
export const LOG_RESTART_WAIT_MS = 100;
/** Disk space that values leave free, so that objects can be deleted and history be forgotten on a full disk. */
export const RESERVED_DISK_BYTES = 2 * 1024 * 1024;
/** Where so much of the disk is free, nothing else is looked at before a write. */
export const PLENTY_BYTES = 64 * 1024 * 1024;
/** The pages that a write changes beside those of its value. */
export const PAGES_PER_WRITE_BYTES = 16 * 1024;
/** The pages that a step of compaction changes, about. */
export const PAGES_PER_SWEEP_BYTES = 1024 * 1024;
/** The work of one turn of the event loop. */
export const CATCH_UP_RECORDS = 256;
/** No further change is read for those who are behind once the values of a turn, old and new, have so many bytes. */
export const CATCH_UP_BYTES = 2 * 1024 * 1024;
/** Records compacted in one transaction, for which writes have to wait. */
export const SWEEP_RECORDS = 512;
/** The interval at which history is trimmed. */
export const TRIM_EVERY_MS = 5_000;
