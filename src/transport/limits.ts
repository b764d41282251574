/** Maximum size of a response's status line and headers. Node's default is 16 KiB, which servers behind proxies exceed. */
export const MAX_HEAD_BYTES = 1024 * 1024;

/** A connection without traffic is probed after this time: nothing is sent while a watch or a log is followed, and a peer that vanished would not be missed. */
export const PROBE_AFTER_MS = 30_000;

/** A connection that no call has used for this long is closed, as kube-apiserver does: a server that closes none by itself would be left with all that a busy moment needed. */
export const IDLE_MS = 90_000;
