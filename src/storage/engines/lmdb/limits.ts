/** The space for the log records of one group; records that do not fit get a buffer of their own. */
export const RECORD_BUFFER_BYTES = 256 * 1024;
/** The size of the cache of values in front of LMDB's pages, by which all readers of an entry share one array. */
export const CACHE_BYTES = 8 * 1024 * 1024;
/**
 * Space that writes leave: on the disk, or in the file behind its last page. LMDB must never write to a full disk: its handling of a page that does not
 * fit can crash the process.
 */
export const RESERVED_DISK_BYTES = 2 * 1024 * 1024;
/** What the last ones may leave of it: writes for which there are free pages, so that the file is not expected to grow. */
export const LEAST_RESERVED_BYTES = 256 * 1024;
/** Free pages that writes leave to deletes, where the file cannot grow. */
export const RESERVED_FREE_PAGES = 256;
/** For how long, at most, a measurement of the free disk space is used, and how fast, at most, other programs can fill the disk. */
export const SPACE_KNOWN_MS = 1_000;
export const FASTEST_FILLING_BYTES_PER_MS = 4 * 1024 * 1024;
/** The pages that a write changes beside those of its value. */
export const PAGES_PER_WRITE_BYTES = 16 * 1024;
/** The pages that a transaction changes however few writes it has: those above the leaves of the tables. */
export const PAGES_PER_TRANSACTION = 12;
/** How much of the file is kept ready behind its last page, at least and at most, beside the reserve. */
export const LEAST_AHEAD_BYTES = 512 * 1024;
export const MOST_AHEAD_BYTES = 1024 * 1024;
/** A disk with more room than this is far from full. */
export const LEAVE_FREE_BYTES = 64 * 1024 * 1024;
/** What a store leaves of a disk that is almost full, for small files beside its own. */
export const SPARE_DISK_BYTES = 256 * 1024;
/** LMDB looks for room in no more entries of its lists of free pages (the default of the binding). */
export const FREE_LIST_ENTRIES = 50_000;
/** The work of one turn of the event loop. */
export const CATCH_UP_RECORDS = 256;
/** No further change is read for those who are behind once the values of a turn, old and new, have so many bytes. */
export const CATCH_UP_BYTES = 2 * 1024 * 1024;
export const SWEEP_RECORDS = 512;
/** No further record is read to be forgotten once those of a turn have so many bytes. */
export const SWEEP_BYTES = 4 * 1024 * 1024;
/** Where space is short, less history is forgotten at once, but not less than this. */
export const LEAST_SWEEP_RECORDS = 8;
/** The interval at which history is trimmed. */
export const TRIM_EVERY_MS = 5_000;
/** Near the end of its space a store takes one write and refuses the next. The log says so no more often than once in this time. */
export const FULL_TOLD_MS = 60_000;
/** How long to wait after an attempt to become or to join the writing process has failed. */
export const RETRY_MS = 1_000;
/** How long to wait for a writing process that is about to end, before looking for its successor. */
export const OWNER_RETRY_MS = 20;
/** Opening the file takes some milliseconds: when writes have waited so long for another process to open it, a message is logged. */
export const HELD_LONG_MS = 2_000;
/** With more unread bytes than this, a member gets no further messages about the head until it reads again, and then only the newest. */
export const MAX_UNREAD_BYTES = 64 * 1024;
/** How long a writing process that ends waits for its members to leave, and a member that ends for its answers. */
export const LEAVE_MS = 2_000;
/** How long a key is kept for a process that was refused a write to it, and is about to try again. */
export const KEY_TURN_MS = 50;
/** How long a write waits for some process to become the writing one. */
export const WITHOUT_WRITER_MS = 10_000;
