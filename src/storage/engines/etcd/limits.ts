/** An answer that takes longer is given up: the outcome of a write is unknown then. */
export const CALL_MS = 10_000;
/** How long a question waits for one member of several before the next is asked. */
export const MEMBER_MS = 3_000;
/** How long one member may take to accept a connection before the next is tried. */
export const CONNECT_MS = 2_000;
/** How long a member may take from the connection to the first word of HTTP/2: one that accepts and says nothing is tried anew after it. */
export const HANDSHAKE_MS = 5_000;
/** How often a watch is looked at: one that said nothing for so long, though there was something to say, is opened anew. */
export const SILENT_MS = 5_000;
/** Between two attempts of something that failed at once. */
export const RETRY_MS = 100;
/** A watch that breaks again and again waits at most so long. */
export const LONGEST_RETRY_MS = 2_000;
/** Signs of life on a connection, so that one that hangs is noticed. */
export const KEEPALIVE_MS = 10_000;
export const KEEPALIVE_TIMEOUT_MS = 5_000;
/** Entries of the first page of a long scan; later ones grow and shrink with the size of what comes. */
export const FIRST_PAGE = 64;
export const LARGEST_PAGE = 4_096;
/** What a page is to weigh. */
export const PAGE_BYTES = 4 * 1024 * 1024;
/** Changes kept in memory for those who start a little behind. */
export const RECENT_CHANGES = 2_048;
export const RECENT_BYTES = 8 * 1024 * 1024;
/** Keys that go on one lease. */
export const LEASE_KEYS = 1_000;
/** A lease lives so much longer than what is put on it first, so that others can share it, but never longer than this. */
export const LEASE_EXTRA = 0.05;
export const LEASE_EXTRA_SECONDS = 60;
