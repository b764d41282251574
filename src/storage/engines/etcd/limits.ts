/** The deadline of a call. The outcome of a write that exceeds it is unknown. */
export const CALL_MS = 10_000;
/** How long a call without effect waits for one of several members before the next one is asked too. */
export const MEMBER_MS = 3_000;
/** How long a call for the newest revision waits for the one before, so that many callers share it. */
export const HEAD_SHARE_MS = 50;
/** How long one member may take to accept a connection before the next is tried. */
export const CONNECT_MS = 2_000;
/** How long the TLS and HTTP/2 handshakes may take: a connection that is accepted but stays silent is closed after it, and opened anew. */
export const HANDSHAKE_MS = 5_000;
/** How long a client may be connecting before another one takes its place. */
export const STUCK_MS = 10_000;
/** The interval at which a watch is checked: one that sent nothing during it, although there were new revisions, is opened anew. */
export const SILENT_MS = 5_000;
/** The first delay between two attempts. */
export const RETRY_MS = 100;
/** The longest delay before a watch that keeps breaking off is opened again. */
export const LONGEST_RETRY_MS = 2_000;
/** The interval of HTTP/2 keepalive pings, and how long an answer may take, so that a dead connection is noticed. */
export const KEEPALIVE_MS = 10_000;
export const KEEPALIVE_TIMEOUT_MS = 5_000;
/** The number of entries in the first page of a long scan; later pages adapt to the size of the values, up to the largest. */
export const FIRST_PAGE = 64;
export const LARGEST_PAGE = 4_096;
/** The number of bytes of values that a page should have. */
export const PAGE_BYTES = 4 * 1024 * 1024;
/** Changes kept in memory for feeds that start a little behind. */
export const RECENT_CHANGES = 2_048;
export const RECENT_BYTES = 8 * 1024 * 1024;
/** The most keys that share one lease. */
export const LEASE_KEYS = 1_000;
/** How much longer than its first key a lease lives, so that later keys can share it: this part of the time to live, but at most these seconds. */
export const LEASE_EXTRA = 0.05;
export const LEASE_EXTRA_SECONDS = 60;
/** etcd grants no longer leases: 285 years. */
export const LONGEST_LEASE_SECONDS = 9_000_000_000;
