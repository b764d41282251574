/** What `head` says of an empty store. */
export const FIRST_REVISION = 1;
/** LMDB takes 1,978 bytes a key; the tables put a revision behind it. */
export const MAX_KEY_BYTES = 1_900;
/** Records of one group that are gathered side by side; those that do not fit get space of their own. */
export const RECORD_SPACE_BYTES = 256 * 1024;
/** Values kept in memory beside LMDB's own pages, so that everyone who reads an entry gets the same bytes. */
export const CACHE_BYTES = 8 * 1024 * 1024;
/** Stays free on the disk. LMDB must never meet a full one: its own handling of a page that does not fit can end the process. */
export const RESERVED_DISK_BYTES = 2 * 1024 * 1024;
/** How long a look at the free room of the disk holds at most, and how fast a disk can be filled by others at the very most. */
export const ROOM_KNOWN_MS = 1_000;
export const FASTEST_FILLING_BYTES_PER_MS = 4 * 1024 * 1024;
/** Pages that a write changes beside those of its value. */
export const PAGES_PER_WRITE_BYTES = 16 * 1024;
/** Work done in one turn of the event loop. */
export const CATCH_UP_RECORDS = 256;
export const SWEEP_RECORDS = 512;
export const EXPIRE_KEYS = 256;
/** How often history is trimmed, at most. */
export const TRIM_EVERY_MS = 5_000;
/** How long to wait after maintenance that failed, or after an attempt in vain to become the process that writes, or to find it. */
export const RETRY_MS = 1_000;
/** How long to wait for a writing process that is about to go, before its successor is looked for. */
export const JOIN_AGAIN_MS = 20;
/** Opening the file takes some milliseconds: when writes have waited so long for another process to do it, somebody should know. */
export const HELD_LONG_MS = 2_000;
/** What a member has not read of what it was told; beyond that it is told no more than how far the file has come, once it reads again. */
export const MAX_UNREAD_BYTES = 64 * 1024;
/** How long a process that ends waits for those that joined it to look for another. */
export const LEAVE_MS = 2_000;
/** How long a write waits for another process to become the one that writes. */
export const WITHOUT_WRITER_MS = 10_000;
